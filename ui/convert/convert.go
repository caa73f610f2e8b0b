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
	"rung/model/signs"
	"rung/model/words"
	"rung/pages/page"
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

// convertPage is the view.
type convertPage struct {
	view.List
	table      *widget.Table[*convert.Rule]
	yaml       widget.TextView
	st         *themes.StyleSet
	targetKind convert.Target

	makes, proves view.LatestWork
	doing         atomic.Pointer[string] // what of the proof
	rev           *revision.Revision     // that res is of
	workedOutAt   time.Time              // when it was worked out
	res           *convert.Result
	proved        bool
	problem       string

	only        bool            // show what is not exact
	onText      bool            // the keys are the text's
	shownPolicy model.PolicyKey // whose text it is
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &convertPage{targetKind: convert.Target(p.ID)}
	v.table = &widget.Table[*convert.Rule]{
		ID:      func(r *convert.Rule) string { return fmt.Sprint(r.Policy, r.Direction, r.Index) },
		Text:    func(r *convert.Rule) string { return r.Text() },
		NoBelow: true,
		Columns: []widget.TableColumn[*convert.Rule]{
			{Title: "LABEL", Help: "whether the other API can say it", Cell: v.labelLine, Less: func(a, b *convert.Rule) int { return labelRank(a.Label) - labelRank(b.Label) }},
			{Title: "POLICY", Help: page.ColumnHelp("policy"), Name: true, Min: 22, Cell: func(r *convert.Rule) widget.Line { return widget.StyledLine(r.Policy.Label(), v.st.Accent) }},
			{Title: "RULE", Help: page.ColumnHelp("rule"), Cell: func(r *convert.Rule) widget.Line {
				return widget.PlainLine(revision.RuleLabel(r.Direction, r.Index, ""))
			}},
			{Title: "ACTION", Help: page.ColumnHelp("action"), Drop: 2, Cell: func(r *convert.Rule) widget.Line { return widget.PlainLine(r.Does) }},
			{Title: "BECOMES", Help: "the rules it becomes", Drop: 1, Min: 7, Max: 40, Cell: func(r *convert.Rule) widget.Line { return widget.PlainLine(becomesText(r)) }, Fit: shortPlace},
			{Title: "WHY", Help: "what differs, or is lost", Min: 16, Flex: true, NoSort: true, Cell: func(r *convert.Rule) widget.Line { return widget.StyledLine(r.Why, v.st.Dim) },
				Fit: func(r *convert.Rule, w int) widget.Line {
					return widget.StyledLine(widget.FlowText(r.Why, max(1, w-2))[0]+" "+widget.Ellipsis, v.st.Dim)
				}},
		},
	}
	v.yaml.Empty = "nothing is made of this policy"
	v.yaml.Do(action.Wrap)
	v.Of = v.table
	return v
}

// becomesText is short: below the table it stands whole.
func becomesText(r *convert.Rule) string {
	switch n := len(r.MadeRules); n {
	case 0:
		return "–"
	case 1:
		return r.NewPlace()
	default:
		return words.Count(n, "rule")
	}
}

// shortPlace is where a rule is without its name: the kind alone.
func shortPlace(r *convert.Rule, w int) widget.Line {
	if len(r.MadeRules) != 1 {
		return widget.PlainLine(becomesText(r))
	}
	at := r.MadeRules[0]
	text := at.Policy.Kind.Abbreviation() + " " + revision.RuleLabel(at.Direction, at.Index, "")
	if widget.TextWidth(text) > w {
		text = at.Policy.Kind.Abbreviation()
	}
	return widget.PlainLine(text)
}

// labelRank puts first what is to be looked at.
func labelRank(l labels.FidelityLabel) int {
	return slices.Index([]labels.FidelityLabel{labels.Inexpressible, labels.Approximate, labels.Exact}, l)
}

// labelSign returns the sign of a label, and its style.
func labelSign(l labels.FidelityLabel, st *themes.StyleSet) (string, themes.Style) {
	switch l {
	case labels.Exact:
		return signs.Yes, st.OK
	case labels.Approximate:
		return signs.Near, st.Warn
	}
	return signs.No, st.Error
}

// labelLine is the sign with its word.
func (v *convertPage) labelLine(r *convert.Rule) widget.Line {
	s, look := labelSign(r.Label, v.st)
	return widget.Line{{Text: s, Style: look}, {Text: " " + string(r.Label)}}
}

// Sync begins what is to be worked out, and lists the rules.
func (v *convertPage) Sync(env *view.Env) {
	v.st = env.Styles
	if v.targetKind == "" {
		v.targetKind = convert.SuggestedTarget(env.Rev)
	}
	busy := v.makes.IsUnderWay() || v.proves.IsUnderWay()
	if !v.makes.WasBegun() || !busy && v.rev.Cluster != env.Rev.Cluster && env.Now.Sub(v.workedOutAt) >= again {
		v.beginConversion(env)
	}
	v.fillTable(env)
}

// beginConversion converts, and what comes of it is proved.
func (v *convertPage) beginConversion(env *view.Env) {
	v.proves.StopWork()
	v.rev, v.problem = env.Rev, ""
	rev, to := env.Rev, v.targetKind
	view.BeginWork(&v.makes, env, "converting", func(context.Context) (*convert.Result, error) { return convert.ConvertPolicies(rev, to) })
}

// ReceiveResult takes what was worked out.
func (v *convertPage) ReceiveResult(env *view.Env, msg any) {
	if res, err, ok := view.TakeResult[*convert.Result](&v.makes, msg); ok {
		if err != nil {
			v.noteFailure(env, err)
			return
		}
		v.res, v.proved = res, false
		rev := v.rev
		view.BeginWork(&v.proves, env, "proving that both sides decide alike", func(ctx context.Context) (*convert.Result, error) {
			return convert.ProveResult(ctx, rev, res, func(doing string) { v.doing.Store(&doing) })
		})
	} else if res, err, ok := view.TakeResult[*convert.Result](&v.proves, msg); ok {
		if err != nil {
			v.noteFailure(env, err)
			return
		}
		v.res, v.proved, v.workedOutAt = res, true, env.Now
	}
	v.shownPolicy = model.PolicyKey{}
	v.fillTable(env)
}

func (v *convertPage) noteFailure(env *view.Env, err error) {
	v.problem, v.workedOutAt = err.Error(), env.Now
	env.SayFailure("%v", err)
}

// fillTable lists the rules, and shows the text of what the one under the cursor became.
func (v *convertPage) fillTable(env *view.Env) {
	if v.res == nil {
		return
	}
	items := make([]*convert.Rule, 0, len(v.res.Rules))
	for i := range v.res.Rules {
		if r := &v.res.Rules[i]; !v.only || r.Label != labels.Exact {
			items = append(items, r)
		}
	}
	v.table.Empty = v.emptyText(env.Rev)
	v.table.SetItems(items)
	v.showPolicyText(env)
}

func (v *convertPage) emptyText(r *revision.Revision) string {
	if len(v.res.Rules) > 0 {
		return "every rule is exact"
	}
	return r.EmptyText("nothing to convert to " + string(v.targetKind) + " · tab another API")
}

// showPolicyText shows the policy that the rule under the cursor became.
func (v *convertPage) showPolicyText(env *view.Env) {
	var made *model.Policy
	if r, ok := v.table.SelectedItem(); ok {
		made = v.res.PolicyOfRule(r)
	}
	switch {
	case made == nil:
		v.shownPolicy = model.PolicyKey{}
		v.yaml.SetLines(nil)
	case made.Key != v.shownPolicy:
		v.shownPolicy = made.Key
		v.yaml.SetLines(widget.YAMLLines(made.YAML, env.Styles))
		v.yaml.GoToLine(0)
	}
}

// Do carries out the page's actions.
func (v *convertPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		if r, ok := v.table.SelectedItem(); ok {
			env.OpenPage(nav.ToRule(r.Policy, r.Direction, r.Index))
			return true
		}
		env.SayFailure("nothing to open here")
	case action.ConvertTarget:
		at := slices.Index(convert.Targets, v.targetKind)
		env.ReplacePage(nav.ToConvert(string(convert.Targets[(at+1)%len(convert.Targets)])))
	case action.ConvertOnly:
		v.only = !v.only
		v.fillTable(env)
	case action.ConvertText:
		v.onText = !v.onText
	case action.Find:
		view.AskFind(env, &v.yaml)
	case action.ConvertApply:
		env.PreviewChange(v.convertedMutation())
	default:
		if v.onText {
			return v.yaml.Do(id)
		}
		did := v.List.Do(env, id)
		if v.res != nil {
			v.showPolicyText(env)
		}
		return did
	}
	return true
}

// convertedMutation returns all converted policies as one change. A policy that does not decide the
// same as before is a guard rail: its name must be typed.
func (v *convertPage) convertedMutation() change.Mutation {
	m := change.Mutation{Op: change.OpApply, YAML: []byte(v.res.NewText())}
	for _, w := range v.res.Warnings() {
		m.Guards = append(m.Guards, change.Guard{Code: gate.GuardNotExact, Policy: w.About, Message: w.Text})
	}
	return m
}

// WhyNot says where what was made cannot be applied.
func (v *convertPage) WhyNot(env *view.Env, id action.ID) string {
	if id != action.ConvertApply {
		return ""
	}
	switch {
	case v.problem != "":
		return "it could not be worked out"
	case v.res == nil || !v.proved:
		return "the proof is still being worked out"
	case len(v.res.Policies) == 0:
		return "nothing was made"
	case v.res.Proof.Unknown != "":
		return v.res.ProofText()
	case !revision.ServesKind(env.Rev, v.res.Policies[0].Kind):
		return "the API server does not serve " + words.Plural(v.res.Policies[0].Kind.Title()) + ": save the file"
	case v.targetKind == convert.ToCNP && env.Rev.System.HasFeature(system.Rows) && !env.Rev.Flags.CompileCNP:
		return "nobody enforces ClusterNetworkPolicies here: save the file"
	}
	return ""
}

// OffersAction leaves out of the hints what cannot be done.
func (v *convertPage) OffersAction(env *view.Env, id action.ID) bool { return v.WhyNot(env, id) == "" }
