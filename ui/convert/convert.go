package convert

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/engine/convert"
	"rung/model"
	labels "rung/model/convert"
	"rung/model/words"
	"rung/revision"
	"rung/system"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// again is how long an answer stands, where the cluster goes on changing.
const again = 10 * time.Second

// page is the view.
type page struct {
	view.List
	table *widget.Table[*convert.Rule]
	yaml  widget.Text
	st    *themes.Styles
	to    convert.Target

	makes, proves view.Once
	doing         atomic.Pointer[string] // what of the proof
	rev           *revision.Revision     // that res is of
	at            time.Time              // when it was worked out
	res           *convert.Result
	proved        bool
	wrong         string

	only   bool            // show what is not exact
	onText bool            // the keys are the text's
	shown  model.PolicyKey // whose text it is
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &page{to: convert.Target(p.ID)}
	v.table = &widget.Table[*convert.Rule]{
		ID:      func(r *convert.Rule) string { return fmt.Sprint(r.Policy, r.Direction, r.Index) },
		Text:    func(r *convert.Rule) string { return r.Text() },
		NoBelow: true,
		Columns: []widget.Column[*convert.Rule]{
			{Title: "LABEL", Cell: v.label, Less: func(a, b *convert.Rule) int { return rank(a.Label) - rank(b.Label) }},
			{Title: "POLICY", Name: true, Min: 22, Cell: func(r *convert.Rule) widget.Line { return widget.Styled(r.Policy.Label(), v.st.Accent) }},
			{Title: "RULE", Cell: func(r *convert.Rule) widget.Line {
				return widget.Plain(revision.RuleLabel(r.Direction, r.Index, ""))
			}},
			{Title: "ACTION", Drop: 2, Cell: func(r *convert.Rule) widget.Line { return widget.Plain(r.Does) }},
			{Title: "BECOMES", Drop: 1, Min: 7, Max: 40, Cell: func(r *convert.Rule) widget.Line { return widget.Plain(becomes(r)) }, Fit: shorter},
			{Title: "WHY", Min: 16, Flex: true, NoSort: true, Cell: func(r *convert.Rule) widget.Line { return widget.Styled(r.Why, v.st.Dim) },
				Fit: func(r *convert.Rule, w int) widget.Line {
					return widget.Styled(widget.Flow(r.Why, max(1, w-2))[0]+" "+widget.Ellipsis, v.st.Dim)
				}},
		},
	}
	v.yaml.Empty = "nothing is made of this policy"
	v.yaml.Do(action.Wrap)
	v.Of = v.table
	return v
}

// becomes is short: below the table it stands whole.
func becomes(r *convert.Rule) string {
	switch n := len(r.MadeRules); n {
	case 0:
		return "–"
	case 1:
		return r.NewPlace()
	default:
		return words.Count(n, "rule")
	}
}

// shorter is where a rule is without its name: the kind alone.
func shorter(r *convert.Rule, w int) widget.Line {
	if len(r.MadeRules) != 1 {
		return widget.Plain(becomes(r))
	}
	at := r.MadeRules[0]
	text := at.Policy.Kind.Abbreviation() + " " + revision.RuleLabel(at.Direction, at.Index, "")
	if widget.Width(text) > w {
		text = at.Policy.Kind.Abbreviation()
	}
	return widget.Plain(text)
}

// rank puts first what is to be looked at.
func rank(l labels.FidelityLabel) int {
	return slices.Index([]labels.FidelityLabel{labels.Inexpressible, labels.Approximate, labels.Exact}, l)
}

// sign returns the sign of a label, and its style.
func sign(l labels.FidelityLabel, st *themes.Styles) (string, themes.Style) {
	switch l {
	case labels.Exact:
		return "✓", st.OK
	case labels.Approximate:
		return "≈", st.Warn
	}
	return "✗", st.Error
}

// label is the sign with its word.
func (v *page) label(r *convert.Rule) widget.Line {
	s, look := sign(r.Label, v.st)
	return widget.Line{{Text: s, Style: look}, {Text: " " + string(r.Label)}}
}

// Sync begins what is to be worked out, and lists the rules.
func (v *page) Sync(env *view.Env) {
	v.st = env.Styles
	if v.to == "" {
		v.to = convert.SuggestedTarget(env.Rev)
	}
	busy := v.makes.Under() || v.proves.Under()
	if !v.makes.Begun() || !busy && v.rev.Cluster != env.Rev.Cluster && env.Now.Sub(v.at) >= again {
		v.begin(env)
	}
	v.fill(env)
}

// begin converts, and what comes of it is proved.
func (v *page) begin(env *view.Env) {
	v.proves.Stop()
	v.rev, v.wrong = env.Rev, ""
	rev, to := env.Rev, v.to
	view.Begin(&v.makes, env, "converting", func(context.Context) (*convert.Result, error) { return convert.ConvertPolicies(rev, to) })
}

// Receive takes what was worked out.
func (v *page) Receive(env *view.Env, msg any) {
	if res, err, ok := view.Come[*convert.Result](&v.makes, msg); ok {
		if err != nil {
			v.failed(env, err)
			return
		}
		v.res, v.proved = res, false
		rev := v.rev
		view.Begin(&v.proves, env, "proving that both sides decide alike", func(ctx context.Context) (*convert.Result, error) {
			return convert.ProveResult(ctx, rev, res, func(doing string) { v.doing.Store(&doing) })
		})
	} else if res, err, ok := view.Come[*convert.Result](&v.proves, msg); ok {
		if err != nil {
			v.failed(env, err)
			return
		}
		v.res, v.proved, v.at = res, true, env.Now
	}
	v.shown = model.PolicyKey{}
	v.fill(env)
}

func (v *page) failed(env *view.Env, err error) {
	v.wrong, v.at = err.Error(), env.Now
	env.Fail("%v", err)
}

// fill lists the rules, and shows the text of what the one under the cursor became.
func (v *page) fill(env *view.Env) {
	if v.res == nil {
		return
	}
	items := make([]*convert.Rule, 0, len(v.res.Rules))
	for i := range v.res.Rules {
		if r := &v.res.Rules[i]; !v.only || r.Label != labels.Exact {
			items = append(items, r)
		}
	}
	v.table.Empty = v.empty()
	v.table.SetItems(items)
	v.text(env)
}

func (v *page) empty() string {
	if len(v.res.Rules) > 0 {
		return "every rule is exact"
	}
	return "nothing to convert to " + string(v.to) + " · tab another API"
}

// text shows the policy that the rule under the cursor became.
func (v *page) text(env *view.Env) {
	var made *model.Policy
	if r, ok := v.table.Selected(); ok {
		made = v.res.PolicyOfRule(r)
	}
	switch {
	case made == nil:
		v.shown = model.PolicyKey{}
		v.yaml.SetLines(nil)
	case made.Key != v.shown:
		v.shown = made.Key
		v.yaml.SetLines(widget.YAML(made.YAML, env.Styles))
		v.yaml.Go(0)
	}
}

// Do carries out the page's actions.
func (v *page) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		if r, ok := v.table.Selected(); ok {
			env.Open(nav.ToRule(r.Policy, r.Direction, r.Index))
			return true
		}
		env.Fail("nothing to open here")
	case action.ConvertTarget:
		at := slices.Index(convert.Targets, v.to)
		env.Replace(nav.ToConvert(string(convert.Targets[(at+1)%len(convert.Targets)])))
	case action.ConvertOnly:
		v.only = !v.only
		v.fill(env)
	case action.ConvertText:
		v.onText = !v.onText
	case action.Find:
		view.AskFind(env, &v.yaml)
	case action.ConvertApply:
		env.Preview(v.mutation())
	default:
		if v.onText {
			return v.yaml.Do(id)
		}
		did := v.List.Do(env, id)
		if v.res != nil {
			v.text(env)
		}
		return did
	}
	return true
}

// mutation returns all converted policies as one change. A policy that does not decide the
// same as before is a guard rail: its name must be typed.
func (v *page) mutation() change.Mutation {
	m := change.Mutation{Op: change.OpApply, YAML: []byte(v.res.NewText())}
	for _, w := range v.res.Warnings() {
		m.Guards = append(m.Guards, change.Guard{Code: gate.GuardNotExact, Policy: w.About, Message: w.Text})
	}
	return m
}

// WhyNot says where what was made cannot be applied.
func (v *page) WhyNot(env *view.Env, id action.ID) string {
	if id != action.ConvertApply {
		return ""
	}
	switch {
	case v.wrong != "":
		return "it could not be worked out"
	case v.res == nil || !v.proved:
		return "the proof is still being worked out"
	case len(v.res.Policies) == 0:
		return "nothing was made"
	case system.WhyNotChanged(v.res.Policies[0].Kind) != "":
		return system.WhyNotChanged(v.res.Policies[0].Kind) + ": save the file, use kubectl"
	case !env.Rev.System.HasFeature(system.Drafts):
		return env.Rev.System.Title + " decides in this cluster: save the file for one with OVN-Kubernetes"
	case v.to == convert.ToCNP && !env.Rev.Flags.CompileCNP:
		return "nobody enforces ClusterNetworkPolicies here: save the file"
	}
	return ""
}

// Offers leaves out of the hints what cannot be done.
func (v *page) Offers(env *view.Env, id action.ID) bool { return v.WhyNot(env, id) == "" }
