import pytest

pytestmark = [pytest.mark.processes]
