package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/form"
	"rung/model/words"
	"rung/pages/page"
	"rung/sources/reading"
	"rung/system"
)

// TakesArgs checks the number of arguments. Their names are said in the error; the
// last optional ones may be left out.
func TakesArgs(optional int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) >= len(names)-optional && len(args) <= len(names):
			return nil
		case len(names) == 0 && !cmd.HasParent():
			return unknownCommand(cmd, args[0])
		case len(names) == 0:
			return fmt.Errorf("%s takes no arguments, got %q; see: %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
		}
		return fmt.Errorf("%s needs %s, got %s; see: %s --help", cmd.CommandPath(), strings.Join(names, " "),
			words.Count(len(args), "argument"), cmd.CommandPath())
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	if like := root.SuggestionsFor(name); len(like) > 0 {
		return fmt.Errorf("unknown command %q; did you mean: rung %s", name, like[0])
	}
	return fmt.Errorf("unknown command %q; see: rung --help", name)
}

// BadFlag says what is wrong with a flag, in no words of Go, and where flags are explained.
func BadFlag(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		want := ""
		switch bad.GetFlag().Value.Type() {
		case "bool":
			want = "want true or false"
		case "int", "int32", "int64", "uint", "uint16", "uint64":
			want = "want a number"
		case "duration":
			want = "want a time such as 30s or 5m"
		}
		if want != "" {
			err = fmt.Errorf("--%s %s: %s", bad.GetFlag().Name, bad.GetValue(), want)
		}
	}
	return fmt.Errorf("%w; see: %s --help", err, cmd.CommandPath())
}

// Forms of output that only some commands have: those whose Annotations say so.
const (
	NbctlForm    = "nbctl"    // records as ovn-nbctl prints them
	MarkdownForm = "markdown" // for a review
	JUnitForm    = "junit"    // XML for a CI
	CSVForm      = "csv"      // for a spreadsheet
	AntctlForm   = "antctl"   // the columns of antctl
	NameForm     = "name"     // KIND/NAME of what is listed, a line each
)

// FormAnnotations are the Annotations of a command that has some of these forms.
func FormAnnotations(names ...string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		out[name] = ""
	}
	return out
}

// OutputForms returns the values of -o that a command takes, but for templates.
func OutputForms(cmd *cobra.Command) []string {
	forms := []string{"table", "wide", "json", "yaml"}
	for _, name := range append([]string{NameForm, NbctlForm, MarkdownForm, JUnitForm, CSVForm}, system.FormNames()...) {
		if _, ok := cmd.Annotations[name]; ok {
			forms = append(forms, name)
		}
	}
	return forms
}

// templateForms are the values of -o that every command takes with a template behind them.
func templateForms() []string {
	return page.MapList(form.Names(), func(name string) string { return name + "=" })
}

// CompleteForm completes a value of -o.
func CompleteForm(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	out := slices.DeleteFunc(append(OutputForms(cmd), templateForms()...), func(f string) bool { return !strings.HasPrefix(f, typed) })
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(out) > 0 && strings.HasSuffix(out[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace // the template follows
	}
	return out, directive
}

// CheckOutput refuses an output form the command does not have, reads the template of one that
// has some, and notes what the command needs.
func (a *App) CheckOutput(cmd *cobra.Command, _ []string) (err error) {
	a.Needs = needsOf[cmd.Name()]
	a.template, err = form.Parse(a.Flags.Output, func(path string) (string, error) {
		text, err := reading.ReadFile(cmd.Context(), path, maxConfig)
		return string(text), err
	})
	if err == nil {
		err = a.setLook(fileSettings{})
	}
	if err != nil || a.template != nil {
		return err
	}
	forms := append(OutputForms(cmd), templateForms()...)
	switch {
	case slices.Contains(forms, a.Flags.Output):
		return nil
	case a.Flags.Output == NbctlForm:
		return fmt.Errorf("output %q is only for rung compile and rung rows; want %s", NbctlForm, strings.Join(forms, ", "))
	}
	return fmt.Errorf("output %q: want %s", a.Flags.Output, strings.Join(forms, ", "))
}
