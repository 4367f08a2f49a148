# Proximal policy optimisation on an environment of random numbers.
import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_obs, 32), nn.Tanh())
        self.pi = nn.Linear(32, n_act)
        self.v = nn.Linear(32, 1)

    def forward(self, obs):
        h = self.body(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


torch.manual_seed(0)
agent = ActorCritic(4, 2)
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)

obs_buf, act_buf, logp_buf, rew_buf = [], [], [], []
obs = torch.randn(4)
for t in range(16):
    with torch.no_grad():
        dist, value = agent(obs)
        action = dist.sample()
    obs_buf.append(obs)
    act_buf.append(action)
    logp_buf.append(dist.log_prob(action))
    rew_buf.append(float(action == 1) * obs[0].item())
    obs = torch.randn(4)

obs_b, act_b, logp_b = torch.stack(obs_buf), torch.stack(act_buf), torch.stack(logp_buf)
returns, g = [], 0.0
for r in reversed(rew_buf):
    g = r + 0.99 * g
    returns.insert(0, g)
returns = torch.tensor(returns)

for epoch in range(4):
    dist, values = agent(obs_b)
    advantage = (returns - values).detach()
    ratio = torch.exp(dist.log_prob(act_b) - logp_b)
    clipped = torch.clamp(ratio, 0.8, 1.2)
    policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
    value_loss = (returns - values).pow(2).mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()
