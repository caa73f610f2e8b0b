package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
)

// eachCommand calls f for every command that help shows.
func eachCommand(f func(cmd *cobra.Command)) {
	root := commandsForTest()
	f(root)
	for _, cmd := range root.Commands() {
		if !cmd.Hidden {
			f(cmd)
		}
	}
}

// wanted is a placeholder: it names what is wanted, in capitals.
var wanted = regexp.MustCompile(`^[A-Z\[][A-Z,=:/\[\]]*$`)

// Each flag that takes a value says in capitals what is wanted, and never one of the values that it
// takes; no backquote is left over, of which pflag would make a placeholder.
func TestPlaceholders(t *testing.T) {
	eachCommand(func(cmd *cobra.Command) {
		see := func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			switch {
			case strings.Count(f.Usage, "`") > 2 || strings.Contains(usage, "`"):
				t.Errorf("%s --%s: a stray backquote: %s", cmd.CommandPath(), f.Name, usage)
			case f.Value.Type() == "bool":
				if value != "" {
					t.Errorf("%s --%s: a switch takes no %s", cmd.CommandPath(), f.Name, value)
				}
				return
			case !wanted.MatchString(value):
				t.Errorf("%s --%s %s: name in capitals what is wanted", cmd.CommandPath(), f.Name, value)
			}
			complete, ok := cmd.GetFlagCompletionFunc(f.Name)
			if !ok || f.Hidden {
				return
			}
			words, _ := complete(cmd, nil, "")
			if slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, value) }) {
				t.Errorf("%s --%s %s looks like a value", cmd.CommandPath(), f.Name, value)
			}
		}
		cmd.LocalFlags().VisitAll(see)
	})
}

// Every help lists the forms that -o takes there, all of them.
func TestHelpListsForms(t *testing.T) {
	eachCommand(func(cmd *cobra.Command) {
		usage := ownFlags(cmd).FlagUsages()
		if forms := command.OutputForms(cmd); len(forms) == 0 {
			if strings.Contains(usage, "--output") {
				t.Errorf("%s has no forms:\n%s", cmd.CommandPath(), usage)
			}
		} else {
			line := regexp.MustCompile(`(?m)^ *-o, --output FORM .*$`).FindString(usage)
			for _, form := range forms {
				if !regexp.MustCompile(`\b` + regexp.QuoteMeta(form) + `\b`).MatchString(line) {
					t.Errorf("%s --help does not list -o %s: %q", cmd.CommandPath(), form, line)
				}
			}
		}
	})
}

// No text of a help is cobra's own.
func TestNoTextsOfCobra(t *testing.T) {
	eachCommand(func(cmd *cobra.Command) {
		text := cmd.Short + cmd.Long + cmd.Use + cmd.Example + ownFlags(cmd).FlagUsages()
		for _, stock := range []string{"autocompletion", "Simply type", "help for ", "[command]", "any command", "disable completion"} {
			if strings.Contains(text, stock) {
				t.Errorf("%s: %q is in cobra's words", cmd.CommandPath(), stock)
			}
		}
	})
}
