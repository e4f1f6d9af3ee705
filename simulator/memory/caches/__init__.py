"""Caches of a launch: L1TEX, the coalescer in front of L2, L2 and DRAM, from replayed addresses.

``items`` turns memory events into sector runs, ``streams`` orders a block's runs and extends them
to blocks nobody replayed, ``between`` says where their work lies, ``placement`` which SM runs which
block, ``machine`` holds the parameters, ``lru`` is the cache itself, ``simulate`` runs a launch,
``requests`` what an SM asks for, ``coalescer`` what of it reaches ``l2``.
Everything here is loaded on demand: compiled code is slow to load.
"""
