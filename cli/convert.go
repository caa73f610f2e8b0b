package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/engine/convert"
	"rung/engine/revision"
)

// convertTarget is something that policies can be written as.
type convertTarget struct {
	name string // of --to
	from string // what is converted, for help
	run  func(context.Context, *revision.Revision) (*convert.Result, error)
}

// convertTargets are all of them, in the order of the help.
var convertTargets = []convertTarget{
	{"networkpolicy", "the isolation annotation of 2016 and the NetworkPolicies of extensions/v1beta1", convert.NetworkPolicy},
}

func targetOf(name string) *convertTarget {
	for i := range convertTargets {
		if convertTargets[i].name == name {
			return &convertTargets[i]
		}
	}
	return nil
}

func targetNames() (names []string) {
	for _, t := range convertTargets {
		names = append(names, t.name)
	}
	return names
}

func (a *app) convertCmd() *cobra.Command {
	var to string
	long := `Print policies as objects of another API that say the same, with a proof: the verdicts
of both sides are compared for every connection between the pods there are, and pods
that are imagined with labels that the policies name. Nothing is applied.

The objects are YAML on standard output. What was left out and why, and the proof, stand
on standard error; with -o json or yaml everything is one document. Exit 1 when the
sides differ.

--to says what is written:`
	for _, t := range convertTargets {
		long += "\n  " + t.name + "  from " + t.from
	}
	cmd := a.shows(&cobra.Command{
		Use:   "convert --to KIND [FILE…]",
		Short: "Print policies in another API, with a proof that they say the same",
		Long:  long,
		Example: `  rung convert --to networkpolicy old/ > new.yaml
  kubectl get ns,netpol,po -A -o yaml | rung convert --to networkpolicy -
  rung convert --to networkpolicy -o json --context staging`,
		Args: func(*cobra.Command, []string) error {
			if to == "" {
				return fmt.Errorf("convert needs --to: %s", strings.Join(targetNames(), ", "))
			}
			if targetOf(to) == nil {
				return fmt.Errorf("--to %s: use %s", to, strings.Join(targetNames(), ", "))
			}
			return nil
		},
	}, func(files []string, _ bool) query {
		a.flags.files = append(a.flags.files, files...)
		return query{answer: func(_ *engine.Engine, r *revision.Revision) (*answer, error) {
			res, err := targetOf(to).run(context.Background(), r)
			if err != nil {
				return nil, err
			}
			if a.flags.output != "json" && a.flags.output != "yaml" {
				a.tellConversion(res)
			}
			return &answer{value: conversionOf(res), text: func(bool) string { return res.Text() }, no: !res.Proof.Equal}, nil
		}}
	})
	cmd.Flags().StringVar(&to, "to", "", "what to write: `"+strings.Join(targetNames(), "`, ")+"`")
	completeFlag(cmd, "to", fixed(targetNames()...))
	return cmd
}

// tellConversion says on stderr what the objects do not.
func (a *app) tellConversion(r *convert.Result) {
	say := func(format string, args ...any) { fmt.Fprintln(a.err, "rung: "+oneLine(fmt.Sprintf(format, args...))) }
	for _, n := range r.Notes {
		say("%s", n)
	}
	if len(r.Policies) == 0 {
		say("nothing to write")
	}
	say("%s", r.Proof.Text())
	for _, d := range r.Proof.Differs {
		say("differs: %s → %s: %s; for example %s", d.Before, d.After, d.Text, d.Example)
	}
	for _, d := range r.Proof.Besides {
		say("besides the policies, by rows OVN-Kubernetes has today for every pod: %s → %s: %s; for example %s", d.Before, d.After, d.Text, d.Example)
	}
}

// convertedOut is the JSON of `rung convert` (command-line.md#output).
type convertedOut struct {
	Objects []string    `json:"objects"` // YAML, each one document
	Notes   []noteOut   `json:"notes"`
	Proof   conversions `json:"proof"`
}

type noteOut struct {
	About   string `json:"about"`
	Message string `json:"message"`
}

type conversions struct {
	Equal    bool            `json:"equal"`
	Text     string          `json:"text"`
	Pods     int             `json:"pods"`
	Imagined int             `json:"imagined"`
	Differs  []differenceOut `json:"differs"`
	Besides  []differenceOut `json:"besides"`
}

type differenceOut struct {
	Before  string `json:"before"`
	After   string `json:"after"`
	Text    string `json:"text"`
	Example string `json:"example"`
}

func conversionOf(r *convert.Result) *convertedOut {
	out := &convertedOut{Objects: []string{}, Notes: each(r.Notes, func(n convert.Note) noteOut { return noteOut{n.About.String(), n.Text} })}
	for _, p := range r.Policies {
		out.Objects = append(out.Objects, p.YAML)
	}
	diff := func(d convert.Difference) differenceOut {
		return differenceOut{string(d.Before), string(d.After), d.Text, d.Example}
	}
	p := &r.Proof
	out.Proof = conversions{p.Equal, p.Text(), p.Pods, p.Imagined, each(p.Differs, diff), each(p.Besides, diff)}
	return out
}
