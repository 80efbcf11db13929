// Bullet's two pivoting solvers on a plain LCP (double precision build).
#include <BulletDynamics/MLCPSolvers/btDantzigLCP.h>
#include <BulletDynamics/MLCPSolvers/btLemkeAlgorithm.h>

#include <vector>

namespace {
// What btLemkeSolver allows.
const unsigned kLoops = 1000;

int lemke(int n, const double* m, const double* q, double* z) {
  btMatrixXu matrix(n, n);
  btVectorXu vector(n);
  for (int i = 0; i < n; i++) {
    vector[i] = q[i];
    for (int j = 0; j < n; j++) matrix.setElem(i, j, m[i * n + j]);
  }
  btLemkeAlgorithm algorithm(matrix, vector, 0);
  const btVectorXu found = algorithm.solve(kLoops);
  // w, then z.
  for (int i = 0; i < n; i++) z[i] = found[n + i];
  return algorithm.getInfo() == 0;
}

int dantzig(int n, const double* m, const double* q, double* z) {
  // Rows are not padded, unlike in ODE; b is on the other side of the equation.
  std::vector<btScalar> a(size_t(n) * n), x(n, 0), b(n), w(n, 0), low(n, 0), high(n, SIMD_INFINITY);
  std::vector<int> index(n, -1);
  for (int i = 0; i < n; i++) {
    b[i] = -q[i];
    for (int j = 0; j < n; j++) a[size_t(i) * n + j] = m[i * n + j];
  }
  btDantzigScratchMemory scratch;
  const bool ok = btSolveDantzigLCP(n, a.data(), x.data(), b.data(), w.data(), 0, low.data(), high.data(), index.data(), scratch);
  for (int i = 0; i < n; i++) z[i] = x[i];
  return ok;
}
}  // namespace

extern "C" int peer_lcp(int method, int n, const double* m, const double* q, double* z) {
  return method == 0 ? lemke(n, m, q, z) : dantzig(n, m, q, z);
}
