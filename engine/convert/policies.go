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

// Targets are the APIs that ConvertPolicies can convert to, in the order in which they are offered.
var Targets = []Target{ToANP, ToCNP, ToAntrea}

// Kind is the kind of what is made, in words.
func (t Target) Kind() string {
	switch t {
	case ToANP:
		return "AdminNetworkPolicy and BaselineAdminNetworkPolicy"
	case ToCNP:
		return "ClusterNetworkPolicy"
	}
	return "Antrea's ClusterNetworkPolicy"
}

// writesKind says whether the target writes policies of a kind.
func (t Target) writesKind(k model.Kind) bool {
	switch t {
	case ToANP:
		return k == model.KindANP || k == model.KindBANP
	case ToCNP:
		return k == model.KindCNP
	}
	return k == model.KindACNP
}

// Rule is a rule of the input, with the outcome of its conversion.
type Rule struct {
	labels.Rule
	// Name is the rule's name, Does its action in the words of its API.
	Name, Does string
	// Witness is a connection that the rule matches and on which the sides differ; nil
	// where there is none, and before ProveResult.
	Witness *Difference
}

// Title is the rule with its policy: `ACNP wall ingress 0 "web" (Drop)`.
func (r *Rule) Title() string {
	return words.CleanText(fmt.Sprintf("%s %s (%s)", r.Policy.Label(), revision.RuleLabel(r.Direction, r.Index, r.Name), r.Does))
}

// NewPlace says where the rule is now: "ANP wall ingress 0"; empty for nowhere.
func (r *Rule) NewPlace() string {
	var out []string
	for _, at := range r.MadeRules {
		out = append(out, at.Policy.Label()+" "+revision.RuleLabel(at.Direction, at.Index, ""))
	}
	return words.List(out, 3)
}

// Text is the rule in a line: its label, what it became, what differs and what shows it.
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

// ConvertPolicies writes the policies of a cluster in another API. Under Antrea, where there are
// policies of Antrea, these are written as ANP or CNP; else ANP, BANP and CNP are. Nothing is
// compared: that is ProveResult's. Results of an earlier conversion are made again, under their names.
func ConvertPolicies(r *revision.Revision, to Target) (*Result, error) {
	earlier, err := earlierResults(r, to)
	if err != nil {
		return nil, err
	}
	c, _ := r.Cluster.Upsert(nil, earlier)
	way, err := wayTo(r, c, to)
	if err != nil {
		return nil, err
	}
	res, converted, stays := way.made, way.converts, way.stays
	out := &Result{To: to, Before: way.before, After: way.after, Notes: way.notes, earlier: earlier}
	if len(earlier) > 0 {
		out.Notes = append(out.Notes, Note{About: earlier[0], Text: words.Count(len(earlier), "object") + " in the input, this one first, " +
			words.OneOrMany(len(earlier), "is what an earlier conversion made, and is", "are what an earlier conversion made, and are") +
			" made again under the same name"})
	}
	other := false // than what is wanted
	for o := range c.Objects() {
		if p, ok := o.(*model.Policy); ok && converted(p.Kind) && !stays[p.Key] {
			out.Converted = append(out.Converted, p)
			other = other || !to.writesKind(p.Kind)
		}
	}
	if !other { // it stays as it is
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
				rule.Name, rule.Does = of.Name, p.Kind.RuleActionWord(of)
			}
		}
		for _, at := range rule.MadeRules {
			if why := refused[at.Policy]; why != "" {
				rule.Label, rule.Why, rule.MadeRules = labels.Inexpressible, "the API refuses what it would be: "+why, nil
				break
			}
		}
		out.Rules = append(out.Rules, rule)
	}
	out.addNotes(r, &res)
	return out, nil
}

// writePolicies gives policies their objects and texts. A policy that the API would refuse is left
// out and named. An unchanged policy keeps its object and text.
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

// addNotes says what is to be known besides the rules.
func (r *Result) addNotes(rev *revision.Revision, res *labels.Result) {
	for _, n := range res.Notes {
		r.Notes = append(r.Notes, Note{About: n.Policy, Text: n.Text})
	}
	for _, a := range res.Repeated {
		text := "one policy for each of the namespaces there are (%s): a new namespace wants the conversion again, and rung lint says so (" +
			lint.ConversionNewValue.Code + ")"
		if len(a.Labels) > 0 {
			text = "one policy for each value of label " + strings.Join(a.Labels, " with ") + " (%s): a new value wants the conversion again, and " +
				"rung lint says so (" + lint.ConversionNewValue.Code + ")"
		}
		r.Notes = append(r.Notes, Note{About: a.Policy, Text: fmt.Sprintf(text, words.List(a.Values, 6))})
	}
	if r.Before == r.After {
		return
	}
	for ef := range rev.Cluster.Policies(model.KindEF) {
		r.Notes = append(r.Notes, Note{About: ef.Key, Text: "left out of the comparison: EgressFirewalls are OVN-Kubernetes' own, and stay " +
			"as they are"})
	}
}

// ProofText is the proof in a line, with the systems that were compared where they are two.
func (r *Result) ProofText() string {
	text := r.Proof.Text()
	if r.Before != r.After {
		text += ": before as " + r.Before.Title + " decides, after as " + r.After.Title + " does"
	}
	return text
}

// InexactRules are the rules that are not exact.
func (r *Result) InexactRules() (out []*Rule) {
	for i := range r.Rules {
		if r.Rules[i].Label != labels.Exact {
			out = append(out, &r.Rules[i])
		}
	}
	return out
}

// ProveResult gives a result of ConvertPolicies with its proof: both sides are compared by
// the verdicts of their systems, for today's pods, and for pods imagined with labels that
// nobody has yet. It leaves made as it is. told hears of each step; it may be nil.
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
	if r.Before != r.After { // decides on one side only, and is not converted
		var others []model.Key
		for ef := range base.Policies(model.KindEF) {
			others = append(others, ef.Key)
		}
		base, _ = base.Upsert(nil, others)
	}
	told("imagining pods with labels that nobody has yet")
	w := imaginePods(base, slices.Concat(r.Converted, r.Policies))
	r.Proof = Proof{Imagined: w.count, Partly: !w.allSpaces}
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
	r.Proof.Later = later
	r.Proof.Equal = len(r.Proof.Differs)+len(later) == 0
	r.findWitnesses()
	return r, nil
}

// findWitnesses finds for each rule that is not exact a connection that shows it.
func (r *Result) findWitnesses() {
	for _, rule := range r.InexactRules() {
		for _, list := range [][]Difference{r.Proof.Differs, r.Proof.Later} {
			at := slices.IndexFunc(list, func(d Difference) bool { return d.matchesExample(rule) })
			if at >= 0 {
				rule.Witness = &list[at]
				break
			}
		}
	}
}

// viewOfSystem returns the view from which the verdicts of policies follow under a system,
// without the rows that the system adds for every pod.
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
