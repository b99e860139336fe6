"""What every module is: parameters, buffers, submodules, hooks, state."""
