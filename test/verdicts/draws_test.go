package verdicts

import (
	"os"

	"rung/test/install"
)

// draws is how many cases a test draws: few, since the race detector takes ten times as long,
// and all of them with RUNG_SOAK=1.
func draws(few, all int) int {
	if os.Getenv(install.SoakVar) == "1" {
		return all
	}
	return few
}

// subsets visits subsets of the eight small rules: every third, which has each pair of rules
// together, apart and absent, or all of them with RUNG_SOAK=1.
func subsets(visit func(rules int)) {
	for i := 0; i < 1<<smallRules; i += draws(3, 1) {
		visit(i)
	}
}
