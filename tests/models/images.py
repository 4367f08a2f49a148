"""Models of pictures: convolutions, norms, up and down."""

from __future__ import annotations

from typing import Any

from .register import Made, model


@model
def cnn(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(1, 4, 3)
            self.conv2 = nn.Conv2d(4, 6, 3, padding=1)
            self.fc1 = nn.Linear(6 * 3 * 3, 10)
            self.fc2 = nn.Linear(10, 3)

        def forward(self, x: Any) -> Any:
            x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
            x = F.max_pool2d(F.relu(self.conv2(x)), 2)
            x = torch.flatten(x, 1)
            return self.fc2(F.relu(self.fc1(x)))

    return Net(), (torch.randn(2, 1, 14, 14),)


@model
def resnet_block(torch: Any) -> Made:
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, before: int, after: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(after)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(after)
            self.downsample = None
            if stride != 1 or before != after:
                self.downsample = nn.Sequential(
                    nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
                )

        def forward(self, x: Any) -> Any:
            identity = x
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            if self.downsample is not None:
                identity = self.downsample(x)
            out += identity
            return self.relu(out)

    return nn.Sequential(Block(3, 3, 1), Block(3, 5, 2), nn.AdaptiveAvgPool2d(1)), (
        torch.randn(2, 3, 8, 8),
    )


@model
def unet_bit(torch: Any) -> Made:
    nn, F = torch.nn, torch.nn.functional

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU())
            self.pool = nn.MaxPool2d(2)
            self.middle = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ReLU())
            self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
            self.last = nn.Conv2d(8, 1, 1)

        def forward(self, x: Any) -> Any:
            skip = self.down(x)
            up = self.up(self.middle(self.pool(skip)))
            rows, columns = skip.shape[2] - up.shape[2], skip.shape[3] - up.shape[3]
            up = F.pad(up, [columns // 2, columns - columns // 2, rows // 2, rows - rows // 2])
            return torch.sigmoid(self.last(torch.cat([skip, up], dim=1)))

    return UNet(), (torch.randn(2, 1, 9, 8),)


@model
def gan_generator(torch: Any) -> Made:
    nn = torch.nn
    return nn.Sequential(
        nn.ConvTranspose2d(5, 4, 4, 1, 0, bias=False), nn.BatchNorm2d(4), nn.ReLU(True),
        nn.ConvTranspose2d(4, 1, 4, 2, 1, bias=False), nn.Tanh(),
    ), (torch.randn(2, 5, 1, 1),)  # fmt: skip


@model
def gan_discriminator(torch: Any) -> Made:
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, 4, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(4, 6, 4, 2, 1, bias=False), nn.BatchNorm2d(6), nn.LeakyReLU(0.2, inplace=True),
        nn.Flatten(), nn.Linear(24, 1), nn.Sigmoid(),
    ), (torch.randn(3, 1, 8, 8),)  # fmt: skip


@model
def conv_transpose(torch: Any) -> Made:
    nn = torch.nn
    return nn.Sequential(
        nn.ConvTranspose1d(3, 4, 3, stride=2, padding=1, output_padding=1, groups=1), nn.ELU(),
        nn.Conv1d(4, 2, 3, dilation=2, padding="same"), nn.Upsample(scale_factor=2),
    ), (torch.randn(2, 3, 5),)  # fmt: skip
