package packets_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"testing"
	"time"

	"rung/compiler"
	"rung/engine/trace"
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	verdicts "rung/model/verdict"
	"rung/revision"
	"rung/test/install"
)

// How many connections ovn-trace is asked about.
const (
	traceClusters, traceEach         = 6, 8
	soakTraceClusters, soakTraceEach = 40, 15
)

// ovn-trace, asked as Rung asks it, meets the ACLs that the rows say decide.
func TestOVNTraceAgrees(t *testing.T) {
	seed, rounds, each := uint64(2), traceClusters, traceEach
	if os.Getenv(install.SoakVar) == "1" {
		seed, rounds, each = uint64(time.Now().UnixNano()), soakTraceClusters, soakTraceEach
	}
	seed = seedOr(t, seed)
	w := start(t)
	count := map[string]int{}
	for n := range rounds {
		d := draw(rand.New(rand.NewPCG(seed, uint64(n))))
		if err := w.put(t.Context(), d.objects, d.options); err != nil {
			t.Fatal(err)
		}
		rev, tracer := w.revision(d), &trace.Tracer{}
		for range each {
			w.traceOne(t, d, rev, tracer, count)
		}
		if t.Failed() {
			t.Fatalf("in cluster %d of RUNG_SEED=%d\n%s", n, seed, d.describe())
		}
	}
	t.Logf("%s, RUNG_SEED=%d: %v", w.tools.Describe(), seed, count)
	if count["agree"] < rounds*each*3/4 || count["allow"] == 0 || count["deny"] == 0 || count["by a rule"] == 0 || count["two zones"] == 0 {
		t.Errorf("too few connections of a kind: %v", count)
	}
}

// revision is what an engine would show of the zones.
func (w *world) revision(d *drawn) *revision.Revision {
	cluster, changes := (*model.Cluster)(nil).Upsert(d.objects, nil)
	desired, _ := compiler.New(d.options).Apply(cluster, changes)
	f := revision.Facts{Cluster: cluster, Desired: desired, Loaded: true}
	for _, name := range zoneNames {
		f.Zones = append(f.Zones, w.zones[name].rec.State())
	}
	return revision.New(f, nil)
}

// connection draws one to ask ovn-trace about.
func (d *drawn) connection() verdicts.Connection {
	end := func() verdicts.Endpoint {
		p := d.pods[d.r.IntN(len(d.pods))]
		return verdicts.PodEnd(p.namespace, p.name)
	}
	c := verdicts.Connection{From: end(), To: end(), Protocol: []verdicts.Protocol{verdicts.TCP, verdicts.TCP, verdicts.UDP, verdicts.SCTP, verdicts.ICMP}[d.r.IntN(5)]}
	outside := verdicts.AddrEnd(netip.MustParseAddr("198.51.100.9"))
	if !d.options.IPv4 {
		outside = verdicts.AddrEnd(netip.MustParseAddr("2001:db8:9::9"))
	}
	switch d.r.IntN(8) {
	case 0:
		c.To = outside
	case 1:
		c.From = outside
	case 2:
		c.From = verdicts.NodeEnd(d.pick(zoneNames...))
	case 3:
		c.To = verdicts.NodeEnd(d.pick(zoneNames...))
	}
	if c.Protocol != verdicts.ICMP {
		c.Port = uint16(79 + d.r.IntN(5))
	}
	return c
}

// traceOne asks about a connection, and counts what came of it.
func (w *world) traceOne(t *testing.T, d *drawn, rev *revision.Revision, tracer *trace.Tracer, count map[string]int) {
	t.Helper()
	if len(d.pods) == 0 {
		return
	}
	c := d.connection()
	said, err := tracer.Ask(rev, c, trace.Rows, false, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	rows := said.Answer.Paths[0]
	if rows.Verdict == verdicts.NotApplicable {
		count["no policy is asked"]++
		return
	}
	asks, err := flow.PlanQuestions(rev.Cluster, &rows, c.Protocol, func(zone string) *nb.DB { return w.zones[zone].rec.State().DB })
	if err != nil {
		t.Errorf("%s: %v", c, err)
		return
	}
	way := revision.OVNPath{Rows: rows}
	texts := ""
	for i := range asks {
		cmd, text, err := w.zones[asks[i].Zone].OVNTrace(t.Context(), &asks[i])
		if err != nil {
			t.Errorf("%s: %v", c, err)
			return
		}
		h := revision.OVNZoneTrace{Zone: asks[i].Zone, Text: text}
		h.ReadOutput(&asks[i], rows.Stages, revision.NewRuleFinder(rev, h.Zone))
		way.Zones = append(way.Zones, h)
		texts += fmt.Sprintf("%q\n%s\n", cmd, text)
		for _, s := range h.Stages {
			if s.ACL {
				count["by a rule"]++
			}
		}
	}
	if len(asks) > 1 {
		count["two zones"]++
	}
	count[string(way.Verdict())]++
	count[string(way.Agreement())]++
	whole := revision.OVNTrace{Connection: c, Paths: []revision.OVNPath{way}}
	words := whole.InWords()
	switch {
	case way.Agreement() == revision.Disagree:
		t.Errorf("%s: %+v\n%s", c, words, texts)
	case way.Agreement() == revision.NotCompared && rows.Verdict != verdicts.Unknown:
		t.Errorf("%s is not compared: %+v\n%s", c, words, texts)
	case rows.Verdict != verdicts.Undefined && rows.Verdict != verdicts.Unknown && way.Verdict() != rows.Verdict:
		t.Errorf("%s: ovn-trace %s, rows %s: %+v\n%s", c, way.Verdict(), rows.Verdict, words, texts)
	}
}
