package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// strayValue adds a hint to an error of the command line if an argument was meant as the value of the flag
// before it: a flag that can stand alone takes no word after it.
func strayValue(cmd *cobra.Command, line []string, err error) error {
	given := cmd.Flags().Args()
	for i, flag := range line {
		if flag == "--" || i+1 == len(line) {
			break
		}
		name, long := strings.CutPrefix(flag, "--")
		f, word := cmd.Flags().Lookup(name), line[i+1]
		at := slices.Index(given, word)
		if !long || f == nil || f.NoOptDefVal == "" || at < 0 {
			continue
		}
		value, isValue := switchWords[word]
		others := slices.Delete(slices.Clone(given), at, at+1)
		// The first word must be a command; otherwise it is one too many, whatever follows.
		extra := cmd.ValidateArgs(given) != nil && (cmd.ValidateArgs(others) == nil || !cmd.HasParent() && at == 0)
		switch {
		case !isValue && !extra:
		case f.Value.Type() != "bool":
			if bad := f.Value.Set(word); bad != nil { // else it was taken as the value
				return fmt.Errorf("%w; %s %s: %w", err, flag, word, bad)
			}
		case isValue:
			return fmt.Errorf("%w; to set the flag write %s=%s", err, flag, value)
		case takesWithout(cmd, f, given):
		case cmd.HasParent() || len(cmd.SuggestionsFor(word)) == 0:
			return fmt.Errorf("%w; to set %s write %s=false", err, flag, flag)
		}
	}
	return err
}

// takesWithout reports whether a command takes its arguments if a switch is off. The switch then rejects them,
// and the error says so.
func takesWithout(cmd *cobra.Command, f *pflag.Flag, args []string) bool {
	was := f.Value.String()
	if f.Value.Set("false") != nil {
		return false
	}
	ok := cmd.ValidateArgs(args) == nil
	return f.Value.Set(was) == nil && ok
}

// switchWords maps words meant as the value of a switch to true and false. 0 and 1 are left out: they are numbers of
// changes and priorities.
var switchWords = map[string]string{"true": "true", "on": "true", "yes": "true", "false": "false", "off": "false",
	"no": "false"}
