package convert

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	labels "rung/model/convert"
	"rung/model/lint"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/sources/manifests"
	"rung/system"
)

// Target is an API that policies are converted to.
type Target string

// The targets.
const (
	ToANP    Target = "anp"
	ToCNP    Target = "cnp"
	ToAntrea Target = "antrea"
)

// Targets lists the APIs that ConvertPolicies can convert to, in the order offered.
var Targets = []Target{ToANP, ToCNP, ToAntrea}

// writes has what each target writes: its kinds, and their name for people.
var writes = map[Target]struct {
	kinds []model.Kind
	name  string
}{
	ToANP:    {[]model.Kind{model.KindANP, model.KindBANP}, "AdminNetworkPolicy and BaselineAdminNetworkPolicy"},
	ToCNP:    {[]model.Kind{model.KindCNP}, "ClusterNetworkPolicy"},
	ToAntrea: {[]model.Kind{model.KindACNP}, "Antrea's ClusterNetworkPolicy"},
}

// Kind names the kinds that the target writes.
func (t Target) Kind() string { return writes[t].name }

// writesKind reports whether the target writes policies of a kind.
func (t Target) writesKind(k model.Kind) bool { return slices.Contains(writes[t].kinds, k) }

// Rule is a rule of the input, with the outcome of its conversion.
type Rule struct {
	labels.Rule
	// Name is the rule's name, Does its action in its API's words.
	Name, Action string
	// Witness is a connection that the rule matches and on which the sides differ; nil if none, and before
	// ProveResult.
	Witness *Difference
}

// Title returns the rule with its policy: `ACNP wall ingress 0 "web" (Drop)`.
func (r *Rule) Title() string {
	return words.CleanText(fmt.Sprintf("%s %s (%s)", r.Policy.Label(), revision.RuleLabel(r.Direction, r.Index, r.Name), r.Action))
}

// NewPlace returns where the rule is now: "ANP wall ingress 0"; empty if nowhere.
func (r *Rule) NewPlace() string {
	var out []string
	for _, at := range r.MadeRules {
		out = append(out, at.Policy.Label()+" "+revision.RuleLabel(at.Direction, at.Index, ""))
	}
	return words.List(out, 3)
}

// Text returns the rule in a line: its label, its new rule, the difference and an example.
func (r *Rule) Text() string {
	text := string(r.Label) + ": " + r.Title()
	if to := r.NewPlace(); to != "" {
		text += " → " + to
	}
	if r.Why != "" {
		text += ": " + words.CleanText(r.Why)
	}
	if r.Witness != nil {
		text += "; shown by " + r.Witness.String()
	}
	return text
}

// ConvertPolicies writes the policies of a cluster in another API. If Antrea's system holds and the cluster
// has Antrea policies, it writes those as ANP or CNP; otherwise it converts ANP, BANP and CNP. It makes
// results of an earlier conversion again, under their names. ProveResult compares the sides.
func ConvertPolicies(r *revision.Revision, to Target) (*Result, error) {
	earlier, err := earlierResults(r, to)
	if err != nil {
		return nil, err
	}
	c, _ := r.Cluster.Upsert(nil, earlier)
	way, err := planConversion(r, c, to)
	if err != nil {
		return nil, err
	}
	res, converted, stays := way.made, way.converts, way.unconverted
	out := &Result{To: to, Before: way.before, After: way.after, Notes: way.notes, earlier: earlier}
	if len(earlier) > 0 {
		out.Notes = append(out.Notes, Note{About: earlier[0], Text: words.Count(len(earlier), "object") + " of an earlier conversion, " +
			"starting with this one, " + words.OneOrMany(len(earlier), "is", "are") + " made again under the same name"})
	}
	other := false // some policy is not of the target's kinds
	for o := range c.Objects() {
		if p, ok := o.(*model.Policy); ok && converted(p.Kind) && !stays[p.Key] {
			out.Converted = append(out.Converted, p)
			other = other || !to.writesKind(p.Kind)
		}
	}
	if !other { // nothing to convert
		out.Converted, out.Notes, res = nil, nil, labels.Result{}
	}
	refused, err := out.writePolicies(r.Cluster, res.Policies)
	if err != nil {
		return nil, err
	}
	for i := range res.Rules {
		rule := Rule{Rule: res.Rules[i]}
		if p := r.Cluster.Policy(rule.Policy); p != nil {
			if of := p.Rule(rule.Direction, rule.Index); of != nil {
				rule.Name, rule.Action = of.Name, p.Kind.RuleActionWord(of)
			}
		}
		for _, at := range rule.MadeRules {
			if why := refused[at.Policy]; why != "" {
				rule.Label, rule.Why, rule.MadeRules = labels.Inexpressible, "the API would reject the result: "+why, nil
				break
			}
		}
		out.Rules = append(out.Rules, rule)
	}
	out.addNotes(r, &res)
	return out, nil
}

// writePolicies gives policies their objects and texts. It leaves out policies that the API would reject and
// returns why. An unchanged policy keeps its object and text.
func (r *Result) writePolicies(c *model.Cluster, made []*model.Policy) (refused map[model.PolicyKey]string, err error) {
	refused = map[model.PolicyKey]string{}
	for _, p := range made {
		p.Origin = model.Origin{Source: "convert", Item: -1}
		written, err := manifests.PolicyObject(p)
		if err != nil {
			return nil, err
		}
		if was := c.Policy(p.Key); was != nil {
			if same, err := manifests.PolicyObject(was); err == nil && same.YAML == written.YAML {
				r.Policies = append(r.Policies, was)
				continue
			}
		}
		if bad := manifests.Validate(written); len(bad) > 0 {
			refused[p.Key] = bad[0].Field + " " + bad[0].Message
			continue
		}
		r.Policies = append(r.Policies, written)
	}
	return refused, nil
}

// addNotes adds what else to know in addition to the rules.
func (r *Result) addNotes(rev *revision.Revision, res *labels.Result) {
	for _, n := range res.Notes {
		r.Notes = append(r.Notes, Note{About: n.Policy, Text: n.Text})
	}
	for _, a := range res.Repeated {
		text := "one policy per namespace (%s): convert again after adding a namespace (rung lint reports " + lint.ConversionNewValue.Code + ")"
		if len(a.Labels) > 0 {
			text = "one policy for each value of label " + strings.Join(a.Labels, " with ") + " (%s): convert again after adding a value " +
				"(rung lint reports " + lint.ConversionNewValue.Code + ")"
		}
		r.Notes = append(r.Notes, Note{About: a.Policy, Text: fmt.Sprintf(text, words.List(a.Values, 6))})
	}
	if r.Before == r.After {
		return
	}
	for ef := range rev.Cluster.Policies(model.KindEF) {
		r.Notes = append(r.Notes, Note{About: ef.Key, Text: "neither converted nor compared: EgressFirewalls exist only on OVN-Kubernetes"})
	}
}

// ProofText returns the proof in a line, with the two systems if they differ.
func (r *Result) ProofText() string {
	text := r.Proof.Text()
	if r.Before != r.After {
		text += ": before on " + r.Before.Title + ", after on " + r.After.Title
	}
	return text
}

// InexactRules returns the rules without an exact conversion.
func (r *Result) InexactRules() (out []*Rule) {
	for i := range r.Rules {
		if r.Rules[i].Label != labels.Exact {
			out = append(out, &r.Rules[i])
		}
	}
	return out
}

// ProveResult returns a copy of a result of ConvertPolicies with its proof. It compares both sides by the
// verdicts of their systems, for today's pods and for imagined pods with labels nobody has yet. told, if not
// nil, is called for each step.
func ProveResult(ctx context.Context, rev *revision.Revision, made *Result, told func(doing string)) (*Result, error) {
	whole := *made
	r := &whole
	r.Rules = slices.Clone(r.Rules)
	if told == nil {
		told = func(string) {}
	}
	var gone []model.Key
	for _, p := range r.Converted {
		gone = append(gone, p.Key)
	}
	var now []model.Object
	for _, p := range r.Policies {
		now = append(now, p)
	}
	base, _ := rev.JudgedCluster().Upsert(nil, r.earlier)
	if r.Before != r.After { // decide on one side only, and are not converted
		var others []model.Key
		for ef := range base.Policies(model.KindEF) {
			others = append(others, ef.Key)
		}
		base, _ = base.Upsert(nil, others)
	}
	told("imagining pods with labels not in use yet")
	w := imaginePods(base, slices.Concat(r.Converted, r.Policies))
	r.Proof = Proof{Imagined: w.count, Incomplete: !w.complete}
	for p := range base.Pods() {
		if p.CanBePeer() {
			r.Proof.Pods++
		}
	}
	compare := func(c *model.Cluster, told string) (*comparison, error) {
		after, _ := c.Upsert(now, gone)
		s := &comparison{before: verdict.NewIndex(viewOfSystem(rev, c, r.Before)), after: verdict.NewIndex(viewOfSystem(rev, after, r.After)),
			world: w, c: c}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("compare both sides: %w", err)
		}
		if err := s.compareSides(ctx); err != nil {
			return nil, fmt.Errorf("compare both sides (%s): %w", told, err)
		}
		return s, nil
	}
	told("comparing both sides for every connection")
	wide, _ := base.Upsert(w.objects, nil)
	all, err := compare(wide, "with imagined pods")
	if err != nil {
		return nil, err
	}
	later := all.differs
	if len(later) > 0 && r.Proof.Pods > 0 {
		told("comparing both sides for today's pods")
		today, err := compare(base, "of today's pods")
		if err != nil {
			return nil, err
		}
		r.Proof.Differs = today.differs
		known := map[string]bool{}
		for i := range today.differs {
			known[today.differs[i].identity] = true
		}
		later = slices.DeleteFunc(slices.Clone(later), func(d Difference) bool { return known[d.identity] })
	}
	r.Proof.FutureLabels = later
	r.Proof.Equal = len(r.Proof.Differs)+len(later) == 0
	r.findWitnesses()
	return r, nil
}

// findWitnesses finds for each inexact rule a connection that shows the difference.
func (r *Result) findWitnesses() {
	all := slices.Concat(r.Proof.Differs, r.Proof.FutureLabels)
	for _, rule := range r.InexactRules() {
		if at := slices.IndexFunc(all, func(d Difference) bool { return d.matchesExample(rule) }); at >= 0 {
			rule.Witness = &all[at]
		}
	}
}

// viewOfSystem returns the view for the policies' verdicts under a system, without the rows that the system
// adds for every pod.
func viewOfSystem(r *revision.Revision, c *model.Cluster, under *system.System) verdict.View {
	if !under.HasFeature(system.Rows) {
		return verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, IPv6: true, Precedence: under.Precedence}}
	}
	o := r.Desired.Options()
	o.IPv4, o.IPv6, o.NoRows, o.CNP = true, true, false, true
	f := r.Flags
	f.CompileCNP = true
	side := revision.New(revision.Facts{Cluster: c, Flags: f, System: under, Desired: compiler.Compile(c, o)}, nil)
	v := verdict.View{Cluster: c, Options: side.VerdictOptions()}
	v.Defaults, v.AllowICMP, v.Multicast = false, false, false
	return v
}
