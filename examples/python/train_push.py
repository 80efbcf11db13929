"""PPO from stable-baselines3 learns to push a box to a target. Needs `pip install stiction[gym] stable-baselines3`.

python examples/python/train_push.py [--steps N] [--seed N] [--episodes N]
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np
import stiction.gym  # registers the environments
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

NAME = "stiction/PushBox-v0"


def make() -> gymnasium.Env[stiction.Floats, stiction.Floats]:
    return gymnasium.make(NAME)


def returns(model: PPO | None, episodes: int) -> float:
    """Mean return of a policy; of random actions where there is none."""
    env = make()
    env.action_space.seed(0)
    total = []
    for seed in range(episodes):
        seen, _ = env.reset(seed=1000 + seed)
        score, over = 0.0, False
        while not over:
            action = env.action_space.sample() if model is None else model.predict(seen, deterministic=True)[0]
            seen, reward, ended, cut, _ = env.step(action)
            score, over = score + float(reward), ended or cut
        total.append(score)
    return float(np.mean(total))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--steps", type=int, default=250_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--episodes", type=int, default=20)
    options = parser.parse_args()
    print(f"random actions: return {returns(None, options.episodes):.1f}")
    start = time.perf_counter()
    model = PPO(
        "MlpPolicy",
        make_vec_env(make, 8, seed=options.seed),
        n_steps=256,
        batch_size=256,
        gamma=0.98,
        learning_rate=1e-3,
        ent_coef=0.0,
        policy_kwargs={"log_std_init": -0.5},
        seed=options.seed,
        device="cpu",
    )
    model.learn(options.steps)
    took = time.perf_counter() - start
    mean, deviation = evaluate_policy(model, make_vec_env(make, 1, seed=1000), n_eval_episodes=options.episodes)
    print(f"after {options.steps} steps ({took:.0f} s): return {mean:.1f}, deviation {deviation:.1f}")


if __name__ == "__main__":
    main()
