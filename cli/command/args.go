package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/sources/files"
	"rung/system"
)

// TakesArgs checks the number of arguments. Errors name the arguments; the last optional ones may be left out.
func TakesArgs(optional int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) >= len(names)-optional && len(args) <= len(names):
			return nil
		case len(names) == 0 && !cmd.HasParent():
			return UnknownCommand(cmd, args[0])
		case len(names) == 0:
			return fmt.Errorf("%s takes no arguments, got %q; see: %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
		}
		return fmt.Errorf("%s needs %s, got %s; see: %s --help", cmd.CommandPath(), strings.Join(names, " "),
			words.Count(len(args), "argument"), cmd.CommandPath())
	}
}

// UnknownCommand returns the error for an unknown command, with a suggestion if a name is similar.
func UnknownCommand(root *cobra.Command, name string) error {
	if like := root.SuggestionsFor(name); len(like) > 0 {
		return fmt.Errorf("unknown command %q; did you mean: rung %s", name, like[0])
	}
	return fmt.Errorf("unknown command %q; see: rung --help", name)
}

// BadFlag returns an error that says, without Go's terms, why a flag is invalid and where flags are explained.
func BadFlag(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	var absent *pflag.NotExistError
	var alone *pflag.ValueRequiredError
	switch {
	case errors.As(err, &absent) && slices.Contains([]string{"k", "kustomize"}, absent.GetSpecifiedName()):
		return fmt.Errorf("unknown flag: %s; Rung no longer renders kustomizations: %s", dashed(absent), engine.RenderKustomization(""))
	case errors.As(err, &absent) && absent.GetSpecifiedName() == "fresh":
		return errors.New("unknown flag: --fresh; leave it out: no page keeps its filter or columns for the next start")
	case errors.As(err, &absent) && cmd.Name() == "new" && slices.Contains([]string{"update", "leave-out"}, absent.GetSpecifiedName()):
		return fmt.Errorf("unknown flag: %s; Rung no longer adds to a set made earlier: edit its policies by what rung new TEMPLATE prints",
			dashed(absent))
	case errors.As(err, &bad):
		err = wrongValue(bad)
	case errors.As(err, &absent) && absent.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag: %s", dashed(absent))
	case errors.As(err, &absent):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if like := words.Closest(absent.GetSpecifiedName(), names); like != "" {
			return fmt.Errorf("unknown flag: --%s; did you mean: --%s", absent.GetSpecifiedName(), like)
		}
	case errors.As(err, &alone):
		value, _ := pflag.UnquoteUsage(alone.GetFlag())
		err = fmt.Errorf("--%s needs a value: --%s %s", alone.GetFlag().Name, alone.GetFlag().Name, value)
	}
	return fmt.Errorf("%w; see: %s --help", err, cmd.CommandPath())
}

// dashed returns an unknown flag as it was typed.
func dashed(absent *pflag.NotExistError) string {
	if absent.GetSpecifiedShortnames() != "" {
		return "-" + absent.GetSpecifiedName()
	}
	return "--" + absent.GetSpecifiedName()
}

// wrongValue returns an error that says which values a flag takes.
func wrongValue(bad *pflag.InvalidValueError) error {
	want := bad.Unwrap().Error()
	switch bad.GetFlag().Value.Type() {
	case "bool":
		want = "want true or false"
	case "int", "int32", "int64", "uint", "uint16", "uint64", "float32", "float64":
		want = "want a number"
	case "duration":
		want = "want a time such as 30s or 5m"
	}
	return fmt.Errorf("--%s %s: %s", bad.GetFlag().Name, bad.GetValue(), want)
}

// exclusiveFlags is the annotation that cobra sets on each flag of a mutually exclusive group.
const exclusiveFlags = "cobra_annotation_mutually_exclusive"

// checkExclusive rejects mutually exclusive flags, before cobra does in other words.
func checkExclusive(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusiveFlags] {
			given := model.Filter(strings.Fields(group), cmd.Flags().Changed)
			if len(given) > 1 && err == nil {
				given = model.MapList(given, func(name string) string { return "--" + name })
				err = fmt.Errorf("%s exclude each other: give one of them; see: %s --help", words.List(given, len(given)), cmd.CommandPath())
			}
		}
	})
	return err
}

// Forms of output that a command must declare in its Annotations.
const (
	NbctlForm    = "nbctl"    // records as ovn-nbctl prints them
	MarkdownForm = "markdown" // for a review
	CSVForm      = "csv"      // for a spreadsheet
	NameForm     = "name"     // KIND/NAME of each object, a line each
	DotForm      = "dot"      // a graph for Graphviz
	SVGForm      = "svg"      // a picture
	HTMLForm     = "html"     // one file for a browser
)

const noAnswer = "no-answer"

// WithoutAnswer returns the Annotations of a command that prints no answer.
func WithoutAnswer() map[string]string { return map[string]string{noAnswer: ""} }

// FormAnnotations returns the Annotations of a command with these forms.
func FormAnnotations(names ...string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		out[name] = ""
	}
	return out
}

// OutputForms returns the values of -o that a command takes, except templates; none for a command that prints
// no answer.
func OutputForms(cmd *cobra.Command) []string {
	if _, ok := cmd.Annotations[noAnswer]; ok {
		return nil
	}
	forms := []string{"table", "wide", "json", "yaml"}
	for _, name := range slices.Concat([]string{NameForm, NbctlForm, MarkdownForm, CSVForm, DotForm, SVGForm, HTMLForm}, Forms,
		system.FormNames()) {
		if _, ok := cmd.Annotations[name]; ok {
			forms = append(forms, name)
		}
	}
	return forms
}

// allForms returns the values of -o that a command takes, templates last.
func allForms(cmd *cobra.Command) []string {
	forms := OutputForms(cmd)
	if len(forms) > 0 {
		forms = append(forms, model.MapList(FormNames(), func(name string) string { return name + "=" })...)
	}
	return forms
}

// CompleteForm completes a value of -o.
func CompleteForm(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	out := slices.DeleteFunc(allForms(cmd), func(f string) bool { return !strings.HasPrefix(f, typed) })
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(out) > 0 && strings.HasSuffix(out[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace // the template follows
	}
	return out, directive
}

// CheckOutput rejects output forms that the command lacks, parses a template, and notes which input the
// command needs.
func (a *App) CheckOutput(cmd *cobra.Command, _ []string) (err error) {
	if err := checkExclusive(cmd); err != nil {
		return err
	}
	a.Needs = commandNeeds[cmd.Name()]
	a.template, err = ParseForm(a.Flags.Output, func(path string) (string, error) {
		text, err := files.ReadFile(cmd.Context(), path, maxConfig)
		return string(text), err
	})
	if err == nil {
		err = a.setLook(fileSettings{})
	}
	forms := allForms(cmd)
	if err != nil || a.template != nil && len(forms) > 0 {
		return err
	}
	switch {
	case slices.Contains(forms, a.Flags.Output), len(forms) == 0 && !cmd.Flags().Changed("output"):
		return nil
	case len(forms) == 0:
		return fmt.Errorf("%s has no output forms: leave -o out", cmd.CommandPath())
	case a.Flags.Output == NbctlForm:
		return fmt.Errorf("output %q is only for rung compile and rung rows; want %s", NbctlForm, strings.Join(forms, ", "))
	}
	return fmt.Errorf("output %q: want %s", a.Flags.Output, strings.Join(forms, ", "))
}
