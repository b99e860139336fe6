"""The parts of every module: parameters, buffers, submodules, hooks, state."""
