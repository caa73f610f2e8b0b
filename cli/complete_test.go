package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
)

// walkFlags calls f for every flag of the command line, hidden ones too.
func walkFlags(root *cobra.Command, f func(*cobra.Command, *pflag.Flag)) {
	root.PersistentFlags().VisitAll(func(flag *pflag.Flag) { f(root, flag) })
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" || cmd.Name() == "help" || cmd.Hidden {
			continue // cobra's, or not for people
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) { f(cmd, flag) })
	}
}

// numbers are the types of values that nobody completes.
var numbers = []string{"bool", "int", "int32", "int64", "float32", "float64", "duration", "count"}

// Every flag is completed, or there is a reason that says why not: a number, a time, or
// text that is listed nowhere.
func TestEveryFlagIsCompletedOrHasAReason(t *testing.T) {
	a := &command.App{}
	root := rootCommand(a, nil)
	seen := map[string]bool{}
	walkFlags(root, func(cmd *cobra.Command, f *pflag.Flag) {
		seen[f.Name] = true
		_, completed := cmd.GetFlagCompletionFunc(f.Name)
		switch number := slices.Contains(numbers, f.Value.Type()); {
		case number && completed:
			t.Errorf("%s --%s is a %s and completed", cmd.Name(), f.Name, f.Value.Type())
		case !number && !completed:
			t.Errorf("%s --%s %s: neither completed nor a reason why not; see flagValues and freeText", cmd.Name(), f.Name,
				f.Value.Type())
		}
	})
	for name := range flagValues(a) {
		if !seen[name] {
			t.Errorf("completion for --%s, which is no flag", name)
		}
		if freeText[name] != "" {
			t.Errorf("--%s is completed, and free text", name)
		}
	}
	for name, why := range freeText {
		if !seen[name] || why == "" {
			t.Errorf("--%s: is no flag, or has no reason", name)
		}
	}
	for _, cmd := range root.Commands() {
		if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() && cmd.Name() != "help" {
			t.Errorf("the arguments of %s are completed as files", cmd.Name())
		}
	}
}

// Every command stands under a heading of rung --help, every global flag under one of
// rung options, each once; and every heading names what there is.
func TestHelpIsGrouped(t *testing.T) {
	a := &command.App{}
	root := rootCommand(a, nil)
	for _, cmd := range root.Commands() {
		if cmd.GroupID == "" && !cmd.Hidden {
			t.Errorf("rung %s stands under no heading of rung --help", cmd.Name())
		}
	}
	count := map[string]int{}
	for _, g := range flagGroups {
		for _, name := range g.names {
			count[name]++
			if root.PersistentFlags().Lookup(name) == nil {
				t.Errorf("%s: there is no flag --%s", g.title, name)
			}
		}
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if count[f.Name] != 1 && !f.Hidden {
			t.Errorf("--%s stands %d times in rung options", f.Name, count[f.Name])
		}
	})
}

// Help is short and shows by examples; it ends with where the global flags are.
func TestHelpOfEveryCommand(t *testing.T) {
	root := rootCommand((&command.App{}), nil)
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" || cmd.Name() == "help" || cmd.Hidden {
			continue // cobra's, or not for people
		}
		out := rung(t, cmd.Name(), "--help")
		if !strings.HasSuffix(out, "\nUse \"rung options\" for a list of global flags.\n") {
			t.Errorf("rung %s --help ends in %q", cmd.Name(), out[max(0, len(out)-80):])
		}
		if !strings.Contains(cmd.Example, "  rung "+cmd.Name()) {
			t.Errorf("rung %s has no example", cmd.Name())
		}
		if n := len(strings.Split(strings.TrimSpace(cmd.Long), "\n")); n > 16 {
			t.Errorf("rung %s: %d lines are too many to read", cmd.Name(), n)
		}
		for _, line := range strings.Split(out, "\n") {
			if len([]rune(line)) > helpWidth {
				t.Errorf("rung %s: %q is longer than %d", cmd.Name(), line, helpWidth)
			}
		}
		if strings.HasSuffix(cmd.Short, ".") || cmd.NamePadding()+3+len([]rune(cmd.Short)) > helpWidth {
			t.Errorf("rung %s: %q does not fit beside its name", cmd.Name(), cmd.Short)
		}
	}
}

// The documents name every command and every global flag.
func TestDocumentsNameCommandsAndFlags(t *testing.T) {
	text := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	commands, flags := text("command-line.md"), text("configuration.md")
	root := rootCommand((&command.App{}), nil)
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" && !cmd.Hidden && !strings.Contains(commands, "`rung "+cmd.Name()) {
			t.Errorf("docs/command-line.md does not name rung %s", cmd.Name())
		}
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !strings.Contains(flags, "`--"+f.Name) {
			t.Errorf("docs/configuration.md does not name --%s", f.Name)
		}
	})
}
