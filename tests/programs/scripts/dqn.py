# Deep Q-learning with a replay memory and a target network.
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 32)
        self.layer2 = nn.Linear(32, n_actions)

    def forward(self, x):
        return self.layer2(F.relu(self.layer1(x)))


random.seed(0)
torch.manual_seed(0)
policy_net = DQN(4, 2)
target_net = DQN(4, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-3)
memory = deque(maxlen=100)


def optimize_model():
    batch = Transition(*zip(*random.sample(memory, 8)))
    state_batch = torch.cat(batch.state)
    action_batch = torch.cat(batch.action)
    reward_batch = torch.cat(batch.reward)
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    with torch.no_grad():
        next_state_values = target_net(torch.cat(batch.next_state)).max(1).values
    expected = next_state_values * 0.99 + reward_batch
    loss = F.smooth_l1_loss(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()


state = torch.randn(1, 4)
for t in range(12):
    with torch.no_grad():
        action = policy_net(state).max(1).indices.view(1, 1)
    next_state = torch.randn(1, 4)
    memory.append(Transition(state, action, next_state, torch.tensor([1.0])))
    state = next_state
    if len(memory) >= 8:
        optimize_model()
    target_state = target_net.state_dict()
    for key, value in policy_net.state_dict().items():
        target_state[key] = value * 0.005 + target_state[key] * 0.995
    target_net.load_state_dict(target_state)
