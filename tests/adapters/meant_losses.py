"""Programs whose losses or steps have one fault each that raises no error, or an everyday one."""

from __future__ import annotations

from tests.adapters.meaning import Meant

CLASSES = """
torch.manual_seed(3)
F, nn = torch.nn.functional, torch.nn
net, x, y = nn.Linear(4, 3), torch.randn(6, 4), torch.arange(6) % 3
opt = torch.optim.SGD(net.parameters(), lr=0.5)
for step in range(4):
    scores = net(x)
    {before}
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
LINES = CLASSES.format(before="...")
ONE = LINES.replace("Linear(4, 3)", "Linear(4, 1)").replace("torch.arange(6) % 3", "torch.randn(6)")
GAN = """
G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
opt_g, opt_d = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (G, D)]
for step in range(3):
    fake, real = G(torch.ones(4, 2)), torch.ones(4, 3)
    opt_d.zero_grad()
    d_loss = D(fake.detach()).mean() - D(real).mean()
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    ...
    g_loss.backward()
    opt_g.step()
"""
CROSS = "loss = F.cross_entropy(scores, y)"

LOSSES = {
    "a softmax before cross_entropy": Meant(
        "loss", LINES, "p = F.softmax(scores, 1)\n    loss = F.cross_entropy(p, y)", CROSS,
        "net.weight",
    ),
    "a module's softmax before cross_entropy": Meant(
        "loss", LINES.replace("y = nn", "y, soft = nn").replace("% 3\n", "% 3, nn.Softmax(1)\n"),
        "loss = F.cross_entropy(soft(scores), y)", CROSS, "net.weight",
    ),
    "a softmax before nll_loss": Meant(
        "loss", LINES, "loss = F.nll_loss(scores.softmax(1), y)", CROSS, "net.weight",
    ),
    "a sigmoid before a loss of logits": Meant(
        "loss", ONE,
        "p = torch.sigmoid(scores)\n"
        "    loss = F.binary_cross_entropy_with_logits(p, (y > 0).float()[:, None])",
        "loss = F.binary_cross_entropy_with_logits(scores, (y > 0).float()[:, None])", "net.weight",
    ),
    "a column and a row": Meant(
        "loss", ONE, "loss = F.mse_loss(scores, y)", "loss = F.mse_loss(scores[:, 0], y)",
        "net.weight",
    ),
    "a column and a row, in a module": Meant(
        "loss", ONE.replace("for step", "criterion = nn.L1Loss()\nfor step"),
        "loss = criterion(scores, y)", "loss = F.l1_loss(scores[:, 0], y)", "net.weight",
    ),
    "a difference of classes": Meant(
        "no_grad", LINES, "loss = ((scores.argmax(dim=1) - y).float() ** 2).mean()", CROSS,
        "net.weight",
    ),
    "a loss of classes": Meant(
        "no_grad", LINES, "p = scores.argmax(1)\n    loss = F.mse_loss(p.float(), y.float())",
        CROSS, "net.weight",
    ),
    "an array in a loss": Meant(
        "no_grad", LINES,
        "probs = scores.detach().numpy()\n    loss = F.cross_entropy(torch.from_numpy(probs), y)",
        CROSS, "net.weight",
    ),
    "a cut in the loss of the other network": Meant(
        "unused", GAN, "g_loss = -D(fake.detach()).mean()", "g_loss = -D(fake).mean()", "G.weight",
    ),
    "gradients that are never reset": Meant(
        "summed", CLASSES.format(before=CROSS).replace("    opt.zero_grad()\n", "").replace(
            "opt.step()", "..."), "opt.step()", "opt.step()\n    opt.zero_grad()", "net.weight",
    ),
}  # fmt: skip
