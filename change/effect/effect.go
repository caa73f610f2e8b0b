package effect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/change"
	"rung/change/guard"
	"rung/model"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
)

// Effect holds the consequences of a change for connections.
type Effect struct {
	// The full difference; nil if Unknown says why it was not worked out.
	*diff.Difference
	Unknown string
	// Caveat names rows that the verdicts do not cover: rows of policies no longer programmed, which stay until a
	// controller restarts.
	Caveat string
	// Services named by toServices of the changed policies. The effect on connections to their cluster IPs is
	// not worked out.
	Services []model.Key
	// Log lines that would get another verdict; nil if no log is read, or if it was only worked out whether
	// the change may be made.
	Log    *diff.LogDifference
	Guards []change.Guard // guard rails that the change hits
	// Set if changed policies apply to pods on a network that was not read.
	isOnUnread bool
}

// NotConsidered returns the omissions that could change the consequences, with the reason if the effect was
// not judged at all. It returns nil for a change that decides nothing, whatever else is omitted.
func (e *Effect) NotConsidered(rev *revision.Revision) []model.Omission {
	if e == nil {
		return nil
	}
	// Networks on which changed policies are programmed were judged; on other networks nothing changes.
	// Networks that were not read, which have no remedy, were not judged.
	out := slices.DeleteFunc(revision.OmissionsOfAnswers(rev, false), func(o model.Omission) bool {
		return o.Code == model.OmittedNetwork && (o.Remedy != "" || !e.isOnUnread)
	})
	if e.Unknown != "" {
		out = append(out, model.Omission{Code: model.OmittedAll, Why: "the effect on connections was not judged: " + e.Unknown})
	}
	if len(e.Services) > 0 {
		out = append(out, model.Omission{Code: model.OmittedPart, Why: "not judged: " + servicesText(e.Services),
			Remedy: "compare before and after: rung trace --to service/" + e.Services[0].Namespace + "/" + e.Services[0].Name})
	}
	return out
}

// MaxTime limits the time to work out a change; a variable for tests.
var MaxTime = 10 * time.Second

// JudgeChanges works out the effect of changes on connections, from rev to next. It returns nil if no decision
// changes.
func JudgeChanges(ctx context.Context, rev, next *revision.Revision, changes []change.ObjectChange, asked guard.ClusterFacts) *Effect {
	changes = slices.DeleteFunc(slices.Clone(changes), func(c change.ObjectChange) bool {
		return c.Old != nil && c.New != nil && guard.SameDecisions(c.Old, c.New) &&
			(rev.WhyNoRows(c.Key) == nil) == (next.WhyNoRows(c.Key) == nil)
	})
	if len(changes) == 0 {
		return nil
	}
	if u := UnreadDeciders(rev); u != nil {
		return &Effect{Unknown: u.BriefText()}
	}
	if !IsAnyPod(rev.JudgedCluster()) {
		return &Effect{Unknown: "no pods are known"}
	}
	limit, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	d, rails, err := guard.JudgeChanges(limit, rev, next, changes, asked)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Effect{Unknown: "not computed in time"}
	case err != nil:
		return &Effect{Unknown: err.Error()}
	}
	e := &Effect{Difference: d, Caveat: unprogrammedWithRows(rev, next, changes), Services: namedServices(changes), Guards: rails,
		isOnUnread: isOnUnread(next, changes)}
	if len(e.Services) > 0 {
		e.Guards = append(e.Guards, change.Guard{Code: guard.Unjudged, Policy: changes[0].Key, About: guard.Unjudged + " services",
			Message: "the effect on " + servicesText(e.Services) + ", is not worked out"})
	}
	return e
}

// UnreadDeciders returns the unread kinds that decide the effect of a change: pods, the namespaces whose
// labels policies select, and the policies that an Allow overrules.
func UnreadDeciders(r *revision.Revision) *revision.Unread {
	return r.NeverRead(model.KindPod, model.KindNamespace, model.KindANP, model.KindNP, model.KindBANP)
}

// isOnUnread reports whether a changed namespaced policy applies to pods on a network that was not read.
// Cluster-wide policies apply to the default network alone.
func isOnUnread(r *revision.Revision, changes []change.ObjectChange) bool {
	networks := revision.WholeDesired(r).Networks()
	for p := range r.Cluster.Pods() {
		if key := p.PrimaryUDN(); key != "" && networks.NetworkOfKey(key) == nil &&
			slices.ContainsFunc(changes, func(c change.ObjectChange) bool { return c.Key.Namespace == p.Namespace }) {
			return true
		}
	}
	return false
}

func IsAnyPod(c *model.Cluster) bool {
	for p := range c.Pods() {
		if p.CanBePeer() {
			return true
		}
	}
	return false
}

// unprogrammedWithRows names the changed policies whose rows still decide although the policies are not
// programmed.
func unprogrammedWithRows(rev, next *revision.Revision, changes []change.ObjectChange) string {
	var out []string
	for i := range changes {
		c := &changes[i]
		zones, _ := CountLiveZones(rev, c.Key)
		switch {
		case zones == 0:
		case c.New != nil && next.WhyNoRows(c.Key) != nil:
			out = append(out, "only once a controller restart has removed the rows of "+c.Key.Label())
		case c.Old != nil && rev.WhyNoRows(c.Key) != nil:
			out = append(out, "not counting connections that frozen rows of "+c.Key.Label()+" decide now")
		}
	}
	return strings.Join(out, "; ")
}

// Text describes the effect on connections in one line.
func (e *Effect) Text() string {
	return e.describe(func(d *diff.Difference) string { return revision.FlipsText(d.Totals) })
}

// describe describes the effect on connections; flips describes the verdicts that change, empty if none does.
func (e *Effect) describe(flips func(*diff.Difference) string) string {
	if e.Unknown != "" {
		return "effect on connections unknown: " + e.Unknown
	}
	text := flips(e.Difference)
	but := e.Caveat
	if len(e.Services) > 0 {
		but = strings.TrimPrefix(but+"; not judged: "+servicesText(e.Services), "; ")
	}
	switch {
	case text != "":
	case but != "":
		text = "no other verdict changes"
	default:
		return revision.NoChangeText(e.Difference)
	}
	if but != "" {
		text += " (" + but + ")"
	}
	return text
}

// Headline describes the effect on connections as people read it first: "opens 122 pairs · 20 across namespaces".
func (e *Effect) Headline() string {
	if !e.FlipsVerdicts() {
		return e.Text()
	}
	return e.describe(revision.FlipsHeadline)
}

// AgainstLog returns the effect with the log lines that would get a different verdict. Commit does not compare
// them, since new lines arrive all the time.
func (e *Effect) AgainstLog(ctx context.Context, log *diff.LogConnections, rev, next *revision.Revision) *Effect {
	if e == nil || log == nil || log.Lines == 0 {
		return e
	}
	limit, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	out := *e                                            // e may be on screen
	out.Log, _ = revision.DiffLog(rev, limit, next, log) // an error means the time ran out; a late result is left out
	return &out
}

// FlipsVerdicts reports whether any connection gets another verdict.
func (e *Effect) FlipsVerdicts() bool { return e != nil && e.Difference != nil && len(e.Flips) > 0 }

// GroupID returns an identity of a group that ignores its numbers and examples.
func GroupID(g *diff.FlipGroup) string {
	return fmt.Sprint(g.Network, g.Before, g.After, g.Ports, g.From.Namespaces, g.From.Outside, g.From.Except, g.To.Namespaces, g.To.Outside,
		g.To.Except,
		revision.DecidersText(g.ByBefore), revision.DecidersText(g.ByAfter))
}

// DecisionConsequences names rules of the change that decide nothing, and pairs that both ends denied before
// and one end still denies.
func DecisionConsequences(e *Effect, next *revision.Revision) (out []Consequence) {
	if e == nil || e.Difference == nil {
		return nil
	}
	for _, text := range revision.NeverDecidingTexts(e.Difference, next.Cluster) {
		out = append(out, Consequence{"note " + text, text, true})
	}
	for i, text := range revision.OneSidedDenyTexts(e.Difference) {
		h := &e.StillDeniedPairs[i]
		out = append(out, Consequence{fmt.Sprint("hangs ", h.Network, h.AtSenders, revision.DecidersText(h.Deciders)), text, false})
	}
	return out
}

// servicesText names the Services whose connections were not judged.
func servicesText(services []model.Key) string {
	var names []string
	for _, k := range services {
		names = append(names, k.Namespace+"/"+k.Name)
	}
	return "connections to the cluster IP of service " + words.ListFew(names, 3) + ", named by toServices"
}

// namedServices returns the Services named by toServices of the changed policies, before and after. Rules
// about Services decide no connection that a Difference compares.
func namedServices(changes []change.ObjectChange) (out []model.Key) {
	for i := range changes {
		for _, p := range []*model.Policy{changes[i].Old, changes[i].New} {
			if p == nil {
				continue
			}
			for i := range p.Egress {
				for _, k := range cmp.Or(p.Egress[i].Tiered, &model.TieredRule{}).ToServices {
					if !slices.Contains(out, k) {
						out = append(out, k)
					}
				}
			}
		}
	}
	return out
}
