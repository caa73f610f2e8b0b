package effect

import (
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
	// Difference is complete; nil where Unknown says why there is none.
	*diff.Difference
	Unknown string
	// Caveat names rows that the verdicts do not cover: rows of policies that are not
	// programmed any more, which stay until a controller starts again.
	Caveat string
	// Services are the Services that toServices of the changed policies names. The effect
	// on connections to their cluster IPs is not worked out.
	Services []model.Key
	// Log are the lines of the log that would get another verdict; nil where no log is read,
	// and where only whether the change may be made was worked out.
	Log    *diff.LogDifference
	Guards []change.Guard // the guard rails that it runs into
	// isOnUnread says that changed policies hold for pods on a network of which nothing is read.
	isOnUnread bool
}

// NotConsidered returns the omissions that could make the consequences different, with one
// that says why they were not judged at all; nil for a change that decides nothing,
// whatever else is omitted.
func (e *Effect) NotConsidered(rev *revision.Revision) []model.Omission {
	if e == nil {
		return nil
	}
	// Networks on which changed policies are programmed were judged, and on the others nothing changes; networks
	// of which nothing is read, and which therefore have no remedy, were not.
	out := slices.DeleteFunc(revision.OmissionsOfAnswers(rev, false), func(o model.Omission) bool {
		return o.Code == model.OmittedNetwork && (o.Remedy != "" || !e.isOnUnread)
	})
	if e.Unknown != "" {
		out = append(out, model.Omission{Code: model.OmittedAll, Why: "what the change does to connections was not judged: " + e.Unknown})
	}
	if len(e.Services) > 0 {
		out = append(out, model.Omission{Code: model.OmittedPart, Why: "not asked: " + servicesText(e.Services),
			Remedy: "ask before and after: rung trace --to service/" + e.Services[0].Namespace + "/" + e.Services[0].Name})
	}
	return out
}

// MaxTime is how long a change may be worked out; variable for tests.
var MaxTime = 10 * time.Second

// JudgeChanges works out what some changes do to connections, from what was before to what will
// be. It is nil where no decision changes.
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
	d, rails, err := guard.JudgeChanges(limit, rev, next, GuardChanges(changes), asked)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Effect{Unknown: "it was not worked out in time"}
	case err != nil:
		return &Effect{Unknown: err.Error()}
	}
	e := &Effect{Difference: d, Caveat: unprogrammedWithRows(rev, next, changes), Services: namedServices(changes), Guards: rails,
		isOnUnread: isOnUnread(next, changes)}
	if len(e.Services) > 0 {
		e.Guards = append(e.Guards, change.Guard{Code: guard.Unjudged, Policy: changes[0].Key, About: guard.Unjudged + " services",
			Message: "what it does to " + servicesText(e.Services) + ", is not worked out"})
	}
	return e
}

// UnreadDeciders returns what was never read of that which tells the effect of a change: pods, the namespaces by
// whose labels policies select them, and the policies that an Allow overrules.
func UnreadDeciders(r *revision.Revision) *revision.Unread {
	return r.NeverRead(model.KindPod, model.KindNamespace, model.KindANP, model.KindNP, model.KindBANP)
}

// isOnUnread says whether a changed policy of a namespace is about pods on a network of which nothing is read.
// Policies of the whole cluster hold on the default network alone.
func isOnUnread(r *revision.Revision, changes []change.ObjectChange) bool {
	networks := revision.WholeDesired(r).Networks()
	for p := range r.Cluster.Pods() {
		if key := p.PrimaryUDN(); key != "" && networks.OfKey(key) == nil &&
			slices.ContainsFunc(changes, func(c change.ObjectChange) bool { return c.Key.Namespace == p.Namespace }) {
			return true
		}
	}
	return false
}

// GuardChanges are changes as guard rails see them.
func GuardChanges(changes []change.ObjectChange) (out []guard.PolicyChange) {
	for i := range changes {
		out = append(out, guard.PolicyChange{Key: changes[i].Key, Old: changes[i].Old, New: changes[i].New})
	}
	return out
}

func IsAnyPod(c *model.Cluster) bool {
	for p := range c.Pods() {
		if p.CanBePeer() {
			return true
		}
	}
	return false
}

// unprogrammedWithRows says which of the policies have rows that decide though they are not
// programmed.
func unprogrammedWithRows(rev, next *revision.Revision, changes []change.ObjectChange) string {
	var out []string
	for i := range changes {
		c := &changes[i]
		zones, _ := CountLiveZones(rev, c.Key)
		switch {
		case zones == 0:
		case c.New != nil && next.WhyNoRows(c.Key) != nil:
			out = append(out, "once the rows of "+c.Key.Label()+" are gone, which stay until a controller starts again")
		case c.Old != nil && rev.WhyNoRows(c.Key) != nil:
			out = append(out, "what the frozen rows of "+c.Key.Label()+" decide now is left out")
		}
	}
	return strings.Join(out, "; ")
}

// Text says in one line what happens to connections.
func (e *Effect) Text() string {
	if e.Unknown != "" {
		return "what it does to connections is unknown: " + e.Unknown
	}
	text := revision.FlipsText(e.Totals)
	but := e.Caveat
	if len(e.Services) > 0 {
		but = strings.TrimPrefix(but+"; not asked: "+servicesText(e.Services), "; ")
	}
	switch {
	case text != "":
	case but != "":
		text = "no other connection changes"
	default:
		return revision.StaysText(e.Difference)
	}
	if but != "" {
		text += " (" + but + ")"
	}
	return text
}

// AgainstLog is the effect with the lines of the log that would get a different verdict. They
// are no part of what Commit compares: more come all the time.
func (e *Effect) AgainstLog(ctx context.Context, log *diff.LogConnections, rev, next *revision.Revision) *Effect {
	if e == nil || log == nil || log.Lines == 0 {
		return e
	}
	limit, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	out := *e                                                 // e may be on a screen
	out.Log, _ = revision.LogOtherwise(rev, limit, next, log) // an error is the time, and what is late is left out
	return &out
}

// FlipsVerdicts says whether a connection becomes another verdict.
func (e *Effect) FlipsVerdicts() bool { return e != nil && e.Difference != nil && len(e.Flips) > 0 }

// GroupID is equal for groups that differ in numbers and examples only.
func GroupID(g *diff.FlipGroup) string {
	return fmt.Sprint(g.Network, g.Before, g.After, g.Ports, g.From.Namespaces, g.From.Outside, g.From.Except, g.To.Namespaces, g.To.Outside,
		g.To.Except,
		revision.DecidersText(g.ByBefore), revision.DecidersText(g.ByAfter))
}

// DecisionConsequences say which rules of the change decide nothing, and what hangs on one end.
func DecisionConsequences(e *Effect, next *revision.Revision) (out []Consequence) {
	if e == nil || e.Difference == nil {
		return nil
	}
	for _, text := range revision.IdleTexts(e.Difference, next.Cluster) {
		out = append(out, Consequence{"note " + text, text})
	}
	for i, text := range revision.HangsTexts(e.Difference) {
		h := &e.HangingPairs[i]
		out = append(out, Consequence{fmt.Sprint("hangs ", h.Network, h.AtSenders, revision.DecidersText(h.Deciders)), text})
	}
	return out
}

// servicesText are the connections that are not asked about, for people.
func servicesText(services []model.Key) string {
	var names []string
	for _, k := range services {
		names = append(names, k.Namespace+"/"+k.Name)
	}
	return "connections to the cluster IP of service " + words.ListFew(names, 3) + ", named by toServices"
}

// namedServices are the Services that toServices of the changed policies names, before and
// after; rules about them decide no connection that a Difference compares.
func namedServices(changes []change.ObjectChange) (out []model.Key) {
	for i := range changes {
		for _, p := range []*model.Policy{changes[i].Old, changes[i].New} {
			if p == nil {
				continue
			}
			for i := range p.Egress {
				if p.Egress[i].Tiered == nil {
					continue
				}
				for _, k := range p.Egress[i].Tiered.ToServices {
					if !slices.Contains(out, k) {
						out = append(out, k)
					}
				}
			}
		}
	}
	return out
}
