"""shim"""


class SolveTools:
    pass
