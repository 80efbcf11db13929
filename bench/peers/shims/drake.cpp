// Drake's LCP solvers inside the library of its Python wheel. The wheel has no headers: the two members that are called are
// declared by their signatures, in a class with room for whatever the real one holds.
#include <Eigen/Dense>

namespace drake {
namespace solvers {
class MobyLcpSolver {
 public:
  MobyLcpSolver();
  virtual ~MobyLcpSolver();
  bool SolveLcpFast(const Eigen::MatrixXd&, const Eigen::VectorXd&, Eigen::VectorXd*, double zero_tolerance) const;
  bool SolveLcpLemke(const Eigen::MatrixXd&, const Eigen::VectorXd&, Eigen::VectorXd*, double pivot_tolerance,
                     double zero_tolerance) const;

 private:
  char room_[1 << 14];
};
}  // namespace solvers
}  // namespace drake

// method 0: SolveLcpFast, 1: SolveLcpLemke; tolerances are Drake's own choice (-1).
extern "C" int peer_lcp(int method, int n, const double* m, const double* q, double* z) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd matrix = Eigen::Map<const Rows>(m, n, n);
  const Eigen::VectorXd vector = Eigen::Map<const Eigen::VectorXd>(q, n);
  Eigen::VectorXd found = Eigen::VectorXd::Zero(n);
  const drake::solvers::MobyLcpSolver solver;
  const bool ok = method == 0 ? solver.SolveLcpFast(matrix, vector, &found, -1)
                              : solver.SolveLcpLemke(matrix, vector, &found, -1, -1);
  for (int i = 0; i < n; i++) z[i] = i < found.size() ? found[i] : 0;
  return ok;
}
