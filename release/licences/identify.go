package licences

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// known are the licences, by their SPDX identifiers, under which a program in binary form may be
// passed on with their texts beside it. MPL-2.0 also wants to be told where the source is: the
// list of modules does.
var known = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense", "0BSD", "CC0-1.0"}

// grants are texts beside a licence that allow more, and need no list: a promise about patents.
var grants = []string{"Google-Patents-Go", "GooglePatentsFile", "GooglePatentClause"}

// covered is how much of a text must be that of a licence, in percent: the rest names the owners.
const covered = 60

// identify are the SPDX identifiers of a licence's text.
func identify(text string) ([]string, error) {
	found := licensecheck.Scan([]byte(text))
	var out []string
	for _, m := range found.Match {
		switch {
		case slices.Contains(grants, m.ID):
		case slices.Contains(known, m.ID):
			out = append(out, m.ID)
		default:
			return nil, fmt.Errorf("licence %s is not among those known: %s", m.ID, strings.Join(known, ", "))
		}
	}
	if len(found.Match) == 0 || found.Percent < covered {
		return nil, fmt.Errorf("no licence is known that reads so (%.0f %% of it is)", found.Percent)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
