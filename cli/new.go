package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/cli/command"
	"rung/engine"
	"rung/engine/template"
	"rung/model"
	"rung/model/words"
	"rung/revision"
)

type newFlags struct {
	answers      []string
	defaults     bool // take the offered values
	expectations bool
	apply        bool
}

func NewCommand(a *command.App) *cobra.Command {
	var f newFlags
	var c changeFlags
	cmd := &cobra.Command{
		Use:   "new [TEMPLATE]",
		Short: "Make policies from a template: tenant isolation, default deny, quarantine and others",
		Long: `Make the policies of a template. Without TEMPLATE list the templates; docs/templates.md
explains each and its questions. Questions without an --answer are asked, with answers
offered from the cluster; --defaults takes the first offer.

The policies are printed. With --apply they are previewed, confirmed and made as one
change, which one undo reverts. --expectations prints the statements that must hold with
them, for rung verify.`,
		Example: `  rung new
  rung new tenant-isolation -f examples/ --answer label=tenant --answer tenants=blue,green
  rung new quarantine --defaults --apply --context staging --write`,
		Args: command.TakesArgs(1, "TEMPLATE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && template.FindTemplate(args[0]) == nil {
				names := model.MapList(template.AllTemplates(), func(t *template.Template) string { return t.Name })
				return fmt.Errorf("unknown template %q; templates: %s", args[0], strings.Join(names, ", "))
			}
			switch {
			case len(args) == 0:
				return a.PrintAnswer(templatesAnswer())
			case f.apply || c.dryRun:
				return applyTemplate(cmd.Context(), a, &f, &c, args)
			}
			return a.AnswerQuery(cmd.Context(), false,
				command.Query{Answer: func(ctx context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
					made, err := makeSet(a, r, &f, args)
					if err != nil {
						return nil, err
					}
					return templateSetAnswer(ctx, a, r, made, f.expectations)
				}})
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var out []string
			for _, t := range template.AllTemplates() {
				if len(args) == 0 {
					out = append(out, t.Name+"\t"+t.For)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.answers, "answer", nil, "`NAME=VALUE`: the answer to a question of the template (repeatable)")
	fs.BoolVar(&f.defaults, "defaults", false, "take the first offer for questions without an answer")
	fs.BoolVar(&f.expectations, "expectations", false, "print statements that must hold, for rung verify")
	fs.BoolVar(&f.apply, "apply", false, "make the policies, after a preview")
	cmd.MarkFlagsMutuallyExclusive("expectations", "apply")
	c.registerTrial(cmd)
	command.CompleteFlag(cmd, "answer", completeAnswer)
	return cmd
}

func completeAnswer(_ *cobra.Command, args []string, _ string) (out []string, d cobra.ShellCompDirective) {
	d = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) == 0 {
		return nil, d
	}
	if t := template.FindTemplate(args[0]); t != nil {
		for _, q := range t.Questions {
			out = append(out, q.Name+"=\t"+q.Ask)
		}
	}
	return out, d
}

func (f *newFlags) givenAnswers() (template.Answers, error) {
	out := template.Answers{}
	for _, text := range f.answers {
		k, v, ok := strings.Cut(text, "=")
		k = strings.TrimSpace(k)
		if !ok || k == "" {
			return nil, fmt.Errorf("--answer %q: want NAME=VALUE", text)
		}
		if _, twice := out[k]; twice {
			return nil, fmt.Errorf("--answer %s is given twice", k)
		}
		out[k] = v
	}
	return out, nil
}

// makeSet makes the policies of a template from the flags, and asks for missing answers.
func makeSet(a *command.App, r *revision.Revision, f *newFlags, args []string) (*template.PolicySet, error) {
	w := template.NewWorld(r)
	t := template.FindTemplate(args[0])
	given, err := f.givenAnswers()
	if err != nil {
		return nil, err
	}
	made, err := template.MakeSet(w, t, given, f.defaults)
	var missing *template.MissingError
	if !errors.As(err, &missing) {
		return made, err
	}
	if f.defaults {
		return nil, fmt.Errorf("%w; the cluster offers no answers: give --answer NAME=VALUE", err)
	}
	if !a.CanAsk {
		return nil, fmt.Errorf("%w; give --answer NAME=VALUE for each, or --defaults", err)
	}
	if given, err = askTemplate(a, w, t, given); err != nil {
		return nil, err
	}
	return template.MakeSet(w, t, given, false)
}

// applyTemplate makes the policies of a template through the gate. Each question is asked once: if the preview
// is worked out again, the same answers are used.
func applyTemplate(ctx context.Context, a *command.App, f *newFlags, c *changeFlags, args []string) error {
	return makeChange(ctx, a, c, func(r *revision.Revision) (change.Mutation, error) {
		made, err := makeSet(a, r, f, args)
		if err != nil {
			return change.Mutation{}, err
		}
		a.PrintNotice(made.Notes...)
		return change.Mutation{Op: change.OpApply, YAML: []byte(made.Text), Base: []byte(made.Base)}, nil
	})
}

// mostTries is how often a question is repeated.
const mostTries = 5

func askTemplate(a *command.App, w *template.World, t *template.Template, given template.Answers) (template.Answers, error) {
	out := template.Answers{}
	for i := range t.Questions {
		q := &t.Questions[i]
		if text, ok := given[q.Name]; ok || q.Extra {
			if ok {
				out[q.Name] = text
			}
			continue
		}
		text, err := askQuestion(a, w, t, q, out)
		if err != nil {
			return nil, err
		}
		out[q.Name] = text
	}
	return out, nil
}

// askQuestion asks a question until it is answered. Offered values are numbered, unless a number could itself
// be the answer.
func askQuestion(a *command.App, w *template.World, t *template.Template, q *template.Question, before template.Answers) (string, error) {
	offers := w.OfferedChoices(t, q, before)
	numbered := q.Kind != template.Priorities && q.Kind != template.Ports && q.Kind != template.Values
	fmt.Fprintln(a.Err, q.Ask)
	for i, o := range offers {
		mark := " "
		if numbered {
			mark = fmt.Sprintf("%2d", i+1)
		}
		fmt.Fprintln(a.Err, strings.TrimRight(fmt.Sprintf("  %s  %s  %s", mark, words.CleanLine(o.Value), words.CleanLine(o.Note)), " "))
	}
	first, prompt := "", q.Name+": "
	if len(offers) > 0 && offers[0].Value != "" {
		first = offers[0].Value
		prompt = fmt.Sprintf("%s [%s]: ", q.Name, words.CleanLine(first))
	}
	for range mostTries {
		fmt.Fprint(a.Err, prompt)
		text, err := readAnswer(a.In)
		if err != nil {
			return "", err
		}
		text = cmp.Or(text, first)
		if n := 0; numbered && len(text) < 3 {
			if _, err := fmt.Sscanf(text, "%d", &n); err == nil && n >= 1 && n <= len(offers) {
				text = offers[n-1].Value
			}
		}
		checked, err := t.CheckAnswer(w, q, text, before)
		if err == nil {
			return checked, nil
		}
		a.PrintNotice(err.Error())
	}
	return "", fmt.Errorf("no answer to %s: %w", q.Name, command.ErrRefused)
}

// templateOut is the JSON of a template in rung new.
type templateOut struct {
	Name      string        `json:"name"`
	For       string        `json:"for"`
	Questions []questionOut `json:"questions"`
}

type questionOut struct {
	Name  string              `json:"name"`
	Ask   string              `json:"ask"`
	Kind  template.AnswerKind `json:"kind"`
	Form  string              `json:"form"`
	Asked bool                `json:"asked"` // the others have a default
}

func templatesAnswer() *command.Answer {
	all := model.MapList(template.AllTemplates(), func(t *template.Template) templateOut {
		return templateOut{t.Name, t.For, model.MapList(t.Questions, func(q template.Question) questionOut {
			return questionOut{q.Name, q.Ask, q.Kind, q.Kind.Form(), !q.Extra}
		})}
	})
	return &command.Answer{Value: all, Text: func(wide bool) string {
		t := &command.TextTable{Head: []string{"TEMPLATE", "FOR", "ASKS"}}
		var b strings.Builder
		for _, o := range all {
			var asks []string
			for _, q := range o.Questions {
				if q.Asked || wide {
					asks = append(asks, q.Name)
				}
			}
			t.AddRow(o.Name, o.For, strings.Join(asks, ", "))
		}
		b.WriteString(t.String())
		if !wide {
			return b.String()
		}
		for _, o := range all {
			fmt.Fprintf(&b, "\n%s\n", o.Name)
			for _, q := range o.Questions {
				fmt.Fprintf(&b, "  %s: %s\n    %s\n", q.Name, q.Ask, q.Form)
			}
		}
		return b.String()
	}}
}

// templateSetOut is the JSON of the policies made by rung new.
type templateSetOut struct {
	Template string            `json:"template"`
	Set      string            `json:"set"`
	Answers  map[string]string `json:"answers"`
	New      []string          `json:"new"`
	Changed  []string          `json:"changed"`
	Notes    []string          `json:"notes"`
	Text     string            `json:"text"`
}

// templateSetAnswer prints the policies, or the statements that must hold with them.
func templateSetAnswer(ctx context.Context, a *command.App, r *revision.Revision, m *template.PolicySet,
	expectations bool) (*command.Answer, error) {
	text := m.Text
	if expectations {
		out, err := m.Expectations(ctx, r)
		if err != nil {
			return nil, err
		}
		text = string(out)
	} else {
		a.PrintNotice(m.Notes...)
	}
	if a.Flags.Output == "yaml" { // the text is YAML
		a.Flags.Output = "table"
	}
	key := func(k model.PolicyKey) string { return k.String() }
	return &command.Answer{Value: templateSetOut{m.Template.Name, m.Name, m.Answers, model.MapList(m.New, key), model.MapList(m.Changed, key),
		model.MapList(m.Notes, words.CleanLine), text},
		Text: func(bool) string { return text }}, nil
}
