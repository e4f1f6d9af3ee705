"""GPUs as data: one JSON file a GPU, one a compute capability, one for what all share."""

from simulator.device.facts import Fact, Label
from simulator.device.load import device_names, device_title, load_device
from simulator.device.model import Device

__all__ = ["Device", "Fact", "Label", "device_names", "device_title", "load_device"]
