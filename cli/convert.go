package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/convert"
	"rung/model"
	labels "rung/model/convert"
	"rung/model/words"
	"rung/revision"
)

// convertTarget is an API that policies can be converted to.
type convertTarget struct {
	name string // value of --to
	from string // source kinds, for help
	run  func(context.Context, *revision.Revision) (*convert.Result, error)
}

// convertTargets are the targets of rung convert, in the order of the help.
var convertTargets = []convertTarget{
	{"anp", "ClusterNetworkPolicies, or Antrea's own policies where Antrea decides", convertPolicies(convert.ToANP)},
	{"cnp", "AdminNetworkPolicies and their baseline, or Antrea's own policies", convertPolicies(convert.ToCNP)},
	{"antrea", "AdminNetworkPolicies, their baseline and ClusterNetworkPolicies", convertPolicies(convert.ToAntrea)},
	{"networkpolicy", "the isolation annotation of 2016 and the NetworkPolicies of extensions/v1beta1", convert.NetworkPolicy},
}

// convertPolicies returns a function that converts policies and proves the result.
func convertPolicies(to convert.Target) func(context.Context, *revision.Revision) (*convert.Result, error) {
	return func(ctx context.Context, r *revision.Revision) (*convert.Result, error) {
		res, err := convert.ConvertPolicies(r, to)
		if err != nil {
			return nil, err
		}
		return convert.ProveResult(ctx, r, res, nil)
	}
}

func ConvertCommand(a *command.App) *cobra.Command {
	var to string
	names := model.MapList(convertTargets, func(t convertTarget) string { return t.name })
	long := `Print policies as equivalent objects of another API, with a proof. The proof compares the
verdicts for every connection between the existing pods, and imagined pods with labels
that the policies name: before by the cluster's own system (--system), after by that of
the other API. Nothing is applied.

The objects are YAML on standard output. Each rule is labelled exact, approximate (what
differs, with an example) or not expressible (why). The labels and the proof go to
standard error. With -o json or yaml everything is one document. Exit 1 if the verdicts
differ.

--to chooses the API to write:`
	for _, t := range convertTargets {
		long += "\n  " + t.name + "  from " + t.from
	}
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "convert --to KIND [FILE…]",
		Short: "Print policies in another API, with a proof that they are equivalent",
		Long:  long,
		Example: `  rung convert --to cnp examples/ > cnp.yaml
  rung convert --to anp examples-antrea/ > anp.yaml
  kubectl get namespaces,pods,nodes,networkpolicies.networking.k8s.io -A -o yaml |
    rung convert --to networkpolicy -
  rung convert --to networkpolicy -o json --context staging`,
		Args: func(*cobra.Command, []string) error {
			if to == "" {
				return fmt.Errorf("convert needs --to: %s", strings.Join(names, ", "))
			}
			if !slices.Contains(names, to) {
				return fmt.Errorf("--to %s: use %s", to, strings.Join(names, ", "))
			}
			return nil
		},
	}, func(files []string, _ bool) command.Query {
		a.Flags.Files = append(a.Flags.Files, files...)
		return command.Query{Answer: func(ctx context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			res, err := convertTargets[slices.Index(names, to)].run(ctx, r)
			if err != nil {
				return nil, err
			}
			if !a.PrintsValues() { // what the objects do not say
				for i := range res.Rules {
					a.PrintNotice(res.Rules[i].Text())
				}
				if len(res.Policies) == 0 {
					a.PrintNotice("nothing to write")
				}
				a.PrintNotice(res.Remarks()...)
			}
			return &command.Answer{Value: newConvertedOut(res), Text: func(bool) string { return res.Text() }, No: !res.Proof.Equal,
				NotConsidered: revision.OmissionsOfObjects(r), Comments: true}, nil
		}}
	})
	cmd.Flags().StringVar(&to, "to", "", "`KIND` to write: "+words.Either(names))
	command.CompleteFlag(cmd, "to", command.FixedWords(names...))
	return cmd
}

// convertedOut is the JSON of `rung convert` (command-line.md#output).
type convertedOut struct {
	Objects []string           `json:"objects"` // YAML, one document each
	Rules   []convertedRuleOut `json:"rules"`
	Notes   []noteOut          `json:"notes"`
	Proof   conversionProof    `json:"proof"`
}

type convertedRuleOut struct {
	Policy    string              `json:"policy"`
	Direction string              `json:"direction"`
	Rule      int                 `json:"rule"`
	Name      string              `json:"rule_name"`
	Action    string              `json:"action"`
	Label     string              `json:"label"`
	Why       string              `json:"why"`
	To        []placeOut          `json:"to"`
	Witness   *convert.Difference `json:"witness"`
}

type placeOut struct {
	Policy    string `json:"policy"`
	Direction string `json:"direction"`
	Rule      int    `json:"rule"`
}

type noteOut struct {
	About   string `json:"about"`
	Message string `json:"message"`
}

type conversionProof struct {
	Equal    bool   `json:"equal"`
	Text     string `json:"text"`
	Pods     int    `json:"pods"`
	Imagined int    `json:"imagined"`
	// Systems whose verdicts were compared.
	Before   string               `json:"before"`
	After    string               `json:"after"`
	Differs  []convert.Difference `json:"differs"`
	Later    []convert.Difference `json:"later"`
	NodeRows []convert.Difference `json:"besides"`
}

func newConvertedOut(r *convert.Result) *convertedOut {
	out := &convertedOut{Rules: []convertedRuleOut{},
		Objects: model.MapList(r.Policies, func(p *model.Policy) string { return p.YAML }),
		Notes:   model.MapList(r.Notes, func(n convert.Note) noteOut { return noteOut{n.About.String(), n.Text} })}
	for i := range r.Rules {
		rule := &r.Rules[i]
		out.Rules = append(out.Rules, convertedRuleOut{Policy: rule.Policy.String(), Direction: rule.Direction.Lower(), Rule: rule.Index,
			Name: rule.Name, Action: rule.Action,
			Label: string(rule.Label), Why: rule.Why, Witness: rule.Witness,
			To: model.MapList(rule.MadeRules, func(at labels.MadeRule) placeOut {
				return placeOut{at.Policy.String(), at.Direction.Lower(), at.Index}
			})})
	}
	p := &r.Proof
	out.Proof = conversionProof{p.Equal, r.ProofText(), p.Pods, p.Imagined, string(r.Before.Name), string(r.After.Name),
		append([]convert.Difference{}, p.Differs...), append([]convert.Difference{}, p.FutureLabels...),
		append([]convert.Difference{}, p.NodeRows...)}
	return out
}
