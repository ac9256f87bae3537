"""Real servers for tests, on free ports of this machine: each is started, killed and stopped like a real one."""
