package ui_test

import (
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/test/install"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// hostile is text that would clear the screen, write the clipboard, recolour and
// turn round what stands behind it, and hide something.
const hostile = "h\x1b[2J\x1b]52;c;UFdO\x07\x1b[31;44;5m\u009b31m\u202eevil\u2066\u200b\u200f\ufeff\u2028\U000e0041\ufe0f\r\x00\xff"

// poisoned is the demo cluster with hostile text in everything that has text, as
// if no source had cleaned anything.
func poisoned(t *testing.T) *revision.Facts {
	p := uitest.DemoFacts(t)
	meta := func(k model.Kind, ns, name string) model.Meta {
		return model.Meta{Key: model.Key{Kind: k, Namespace: ns, Name: name}, UID: hostile, Version: hostile,
			Labels: model.NewLabels(map[string]string{"a" + hostile: hostile}), Annotations: map[string]string{"b" + hostile: hostile},
			Origin: model.Origin{File: hostile, Item: -1}}
	}
	rule := func(d model.Direction) model.Rule {
		return model.Rule{Direction: d, Action: model.Deny, Name: hostile, Peers: []model.Peer{{Kind: model.PeerNamespaces, Namespaces: model.SelectEverything(), Pods: model.SelectEverything()},
			{Kind: model.PeerDNS, DNSName: hostile}}, Ports: []model.Port{{Name: hostile}, {Protocol: hostile, Start: 1, End: 2}}}
	}
	anp := &model.Policy{Meta: meta(model.KindANP, "", "a"+hostile), Tier: model.TierAdmin, Priority: 5, YAML: "kind: x # " + hostile + "\nmetadata:\n  name: " + hostile + "\n",
		Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true},
		Ingress: []model.Rule{rule(model.Ingress)}, Egress: []model.Rule{rule(model.Egress)},
		Conditions: []model.Condition{{Type: hostile, Status: hostile, Reason: hostile, Message: hostile}}, Logging: hostile, HasLogging: true}
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{anp,
		&model.Namespace{Meta: meta(model.KindNamespace, "", "n"+hostile)},
		&model.Pod{Meta: meta(model.KindPod, "n"+hostile, "p"+hostile), NodeName: "ovn-worker", Phase: hostile, IPs: []string{"10.9.9.9"}},
	}, nil)
	p.Broken = append(p.Broken, model.Broken{Severity: model.SeverityError, Key: anp.Key, Field: hostile, Message: hostile, Remedy: hostile, Origin: model.Origin{File: hostile}})
	uitest.Sync(p)
	for i, z := range p.Zones {
		z.Endpoint, z.Server = hostile, hostile
		if i == 1 {
			z.Conn, z.Error = model.ConnLost, hostile
		}
	}
	p.Mode.Title, p.Mode.Server, p.Mode.User, p.Undo = hostile, hostile, hostile, hostile
	p.Sources = append(p.Sources, model.SourceState{Name: hostile, Detail: hostile, Error: hostile, Conn: model.ConnLost,
		Resources: []model.SourceResource{{Name: hostile, Conn: model.ConnDenied, Error: hostile}}})
	p.Plan = &revision.PlanState{Total: 3, Done: 1, State: revision.PlanStopped, Why: hostile, Step: hostile}
	return p
}

// seemly fails the test when a frame has anything that cannot be seen besides the
// colours of Rung's own.
func seemly(t *testing.T, s *uitest.Screen, where string) {
	t.Helper()
	frame := s.View()
	if got := words.CleanFrame(frame); got != frame {
		t.Errorf("%s: a frame has what cannot be seen", where)
	}
	if strings.Contains(frame, "\x1b[31;44;5m") {
		t.Errorf("%s: text set a colour:\n%q", where, frame)
	}
	s.WantFits()
}

// TestHostileText goes through every page with hostile text and looks at the bytes
// of every frame.
func TestHostileText(t *testing.T) {
	p := poisoned(t)
	key := model.Key{Kind: model.KindANP, Name: "a" + hostile}
	pod := model.Key{Kind: model.KindPod, Namespace: "n" + hostile, Name: "p" + hostile}
	acl, zone := uitest.UUID("hostile"), p.Zones[0].Name
	p.Zones[0].DB = p.Zones[0].DB.Apply([]nb.RowChange{{New: &nb.ACL{UUID: acl, Name: hostile, Match: hostile, Action: hostile, Severity: hostile, Direction: hostile,
		ExternalIDs: map[string]string{"k" + hostile: hostile, "k8s.ovn.org/id": hostile, "k8s.ovn.org/name": hostile}}},
		{New: &nb.PortGroup{UUID: uitest.UUID("hostile group"), Name: hostile, ACLs: []string{acl}, ExternalIDs: map[string]string{"k": hostile}}}})
	seen := false
	for _, kind := range nav.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			page := nav.Page{Kind: kind}
			switch kind {
			case nav.Policy, nav.Edit:
				page.Key = key
			case nav.Rule:
				page = nav.ToRule(key, model.Ingress, 0)
			case nav.Pod:
				page.Key = pod
			case nav.Row:
				page = nav.ToRow(zone, nb.TableACL, acl)
			case nav.Trace:
				page = nav.ToTrace(hostile + " " + hostile + " TCP 80")
			case nav.Controller:
				page.Key, page.Zone = key, zone
			case nav.Preview:
				return // made by a change, below
			}
			f := uitest.NewFake(p)
			f.ContextNames, f.Current = []string{"here" + hostile, hostile}, "here"+hostile
			f.Done = []model.Activity{{Seq: 1, Zone: hostile, By: hostile, Summary: hostile, Error: hostile}}
			f.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
				o := p.Cluster.Policy(key)
				return &gate.Preview{Mutation: m, Title: hostile, Objects: []change.ObjectChange{{Key: key, New: o, Diff: "+ " + hostile + "\n"}},
					Guards: []change.Guard{{Code: "x", Policy: key, Message: hostile}}, ConfirmName: hostile, Notes: []string{hostile}, Commands: []string{hostile},
					Findings: []model.Finding{{Policy: key, Message: hostile, Remedy: hostile}}}, nil
			}
			t.Setenv("EDITOR", "true")
			t.Setenv("VISUAL", "")
			s := uitest.OpenWith(t, f, ui.Options{Page: page})
			for _, keys := range [][]string{{}, {"j"}, {"tab"}, {"tab"}, {"tab"}, {"tab"}, {"G"}, {"y"}, {"enter"}, {"esc"}, {"?"}, {"esc"}, {":"}, {"esc"},
				{"W"}, {"esc"}, {"L"}, {"enter"}, {"d"}, {"a"}, {"esc"}, {"esc"}, {"D"}, {"a"}, {"esc"}, {"esc"}, {"m"}, {"esc"}, {"/"}, {"h"}, {"esc"}, {"U"}, {"a"}, {"esc"}, {"esc"},
				{"enter"}, {"tab"}, {"enter"}, {"tab"}, {"esc"}, {"esc"}} {
				s.Press(keys...)
				seemly(t, s, strings.Join(keys, " "))
				seen = seen || strings.Contains(s.PlainFrame(), "evil")
			}
			s.Resize(40, 10)
			seemly(t, s, "small")
		})
	}
	if !seen {
		t.Error("the hostile text was on no page: the test looks at nothing")
	}
}

// TestTimingClean: looking through the frame costs little of drawing it.
func TestTimingClean(t *testing.T) {
	install.Timing(t)
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Resize(200, 60)
	frame, best := s.View(), [2]time.Duration{time.Hour, time.Hour}
	for i := range 50 {
		start := time.Now()
		s.Press([]string{"G", "g"}[i%2])
		drawn := time.Now()
		words.CleanFrame(frame)
		best[0], best[1] = min(best[0], drawn.Sub(start)), min(best[1], time.Since(drawn))
	}
	t.Logf("a key and its frame %v, looking through it %v", best[0], best[1])
	if best[1]*10 > best[0] {
		t.Errorf("looking through a frame takes %v of %v", best[1], best[0])
	}
}
