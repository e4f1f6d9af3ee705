"""When: how long a launch takes, from the streams of its warps and a model of the SM.

``predict`` is the way in. ``trace`` keeps what the emulator's warps did, ``requests`` turns memory
events into what the load/store unit has to do, ``core`` runs one SM cycle by cycle, ``chip`` says
what the other SMs do to it. Numbers of a GPU come from its data file through ``parameters``.
"""
