package logline

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/words"
)

var now = time.Date(2026, 11, 23, 14, 5, 0, 0, time.UTC)

func logqueryPod(ns, name string) model.Key {
	return model.Key{Kind: model.KindPod, Namespace: ns, Name: name}
}

// sample is a line that was dropped on its way out of the cluster.
func sample() *QueryLine {
	l := &Line{At: now.Add(-2 * time.Minute), Zone: "ovn-worker2", Verdict: "drop", Severity: "alert", Proto: "tcp",
		Src: netip.MustParseAddr("10.244.1.4"), Dst: netip.MustParseAddr("8.8.8.8"), DstPort: 443}
	return &QueryLine{Line: l, RuleName: "default-deny",
		Rule: RuleRef{Policy: model.PolicyKey{Kind: model.KindANP, Name: "web"}, Direction: model.Egress, Rule: 3},
		Src:  LineEnd{Key: logqueryPod("blue", "api"), Addr: "10.244.1.4"}, Dst: LineEnd{Addr: "8.8.8.8", Note: "outside"},
		Text: func() string {
			return `14:03:00.000 ovn-worker2 blue/api > 8.8.8.8 (outside) tcp 443 dropped by web egress 3 "default-deny"`
		}}
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "policy:web": true, "policy:we": true, "policy:=we": false, "policy:=web": true, "policy:db": false, "!policy:db": true,
		"not policy:web": false, "not not policy:web": true, "POLICY:WEB": true, "policy:db,web": true, "not policy:db,web": false,
		"verdict:deny": true, "verdict:drop": true, "verdict:dropped": true, "verdict:d": true, "verdict:allow": false, "verdict:allow,deny": true,
		"node:worker2": true, "zone:worker3": false, "pod:blue/api": true, "pod:api": true, "ns:blue": true, "ns:red": false,
		"ns:blu": true, "ns:=blu": false, "ns:=blue": true, "ns:=blue->": true, "ns:=blu->": false, "pod:=blue/api": true, "pod:=blue/ap": false, "pod:=api": false,
		"ns:blue->": true, "ns:->blue": false, "ns:blue->red": false, "ns:blue→": true, "pod:api->": true, "ns:red->,blue->": true,
		"src:api": true, "src:10.244.1.4": true, "src:10.244.0.0/16": true, "dst:10.0.0.0/8": false, "dst:8.8.8.8": true, "dst:outside": true, "to:8.8": true,
		"ip:8.8": true, "ip:8.8.8.0/24": true, "ip:10.244.1.4->8.8.8.8": true, "ip:8.8.8.8->": false,
		"port:443": true, "port:44": false, "port:400-500": true, "port:tcp/443": true, "port:udp/443": false, "port:53,443": true, "port:0": false, "proto:tcp": true, "proto:udp": false,
		"rule:3": true, "rule:egress:3": true, "rule:eg3": true, `rule:"egress 3"`: true, "rule:egress": true, "rule:ingress:3": false, "rule:default": true, "rule:33": false,
		"dir:egress": true, "dir:in": false, "severity:alert": true, "severity:info": false,
		"since:5m": true, "since:1m": false, "until:1m": true, "since:14:03": true, "since:14:04": false, "until:14:03:00": true,
		"since:2026-11-23T14:02:59Z": true, "since:15:00": true /* of yesterday */, "since:1d": true, "not since:1h": false,
		`"egress 3"`: true, `"egress 4"`: false, `not "egress 4"`: true, `"Dropped"`: false, "dropped": true, "DROPPED": false, "api → 8.8": true, "api -> 8.8": true,
		"/d.opped by/": true, "/d.opped  by/": false, "!/allowed/": true, "/blue/api/": true, `/blue\/api/`: true, "api.*8": true, "dropped api": true, "dropped apo": false,
		"8.8.8.8:": false, "fd00::1": false, "NP:blue:web:Ingress": false,
		"verdict:deny policy:web ns:blue port:443 not node:w1 since:5m \"tcp 443\" /web egress/": true,
	} {
		q, err := Parse(text, now)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := q.MatchLine(sample()); got != want {
			t.Errorf("%q shows the line: %v, want %v", text, got, want)
		}
		if q.ShowsAll() != (text == "") {
			t.Errorf("%q is empty: %v", text, q.ShowsAll())
		}
	}
}

// Every error is one line that names the term; the terms beside it hold.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		open       bool
	}{
		{"port:abc", "port:abc: want a port (53), a range (8000-8080) or udp/53", false},
		{"port:70000", "port:70000: " + wantPort, false},
		{"port:90-80", "port:90-80: the range is reversed", false},
		{"policy:web port:53,x", "port:53,x: " + wantPort, false},
		{"verdict:maybe", "verdict:maybe: want allow, deny, drop, reject or pass", false},
		{"severity:loud", "severity:loud: want alert, warning, notice, info or debug", false},
		{"dir:up", "dir:up: want ingress or egress", false},
		{"since:yesterday", "since:yesterday: " + words.ErrMoment.Error(), false},
		{"ip:web", "ip:web: want an address or a network, such as 10.0.0.0/8", false},
		{"ns:a->b->c", "ns:a->b->c: one arrow only: ns:a->b", false},
		{"polcy:web", "polcy: no such field; did you mean policy:?", false},
		{"nothing:here", "nothing: no such field; fields: verdict, policy, rule, ns, pod, src, dst, ip, port, proto, node, dir, severity, since, until", false},
		{"/a(/", "/a(/: missing closing ): `(?i)a(`", false},
		{"a[", "a[: missing closing ]: `[`, taken literally", false},
		{"/abc", "/abc: a regular expression ends with /", true},
		{`"abc`, `"abc: the closing " is missing`, true},
		{`rule:"egress`, `rule:"egress: the closing " is missing`, true},
		{"policy:", "policy: a value is missing: part of the policy's name; =web: all of it", true},
		{"policy:web not", "not: a term must follow", true},
		{"not port:abc " + strings.Repeat("x", 60), "port:abc: " + wantPort, false},
		{"port:" + strings.Repeat("x", 60), "port:" + strings.Repeat("x", 34) + "…: " + wantPort, false},
	} {
		_, err := Parse(c.text, now)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want an Error", c.text, err)
			continue
		}
		if e.Error() != c.want || e.Open != c.open {
			t.Errorf("%q: %q (open %v), want %q (open %v)", c.text, e, e.Open, c.want, c.open)
		}
		if !strings.Contains(c.text, strings.TrimSuffix(e.Term, "…")) {
			t.Errorf("%q: the term %q is not in it", c.text, e.Term)
		}
	}
	q, err := Parse("port:abc policy:db", now)
	if err == nil || q.MatchLine(sample()) {
		t.Error("beside a term that cannot be read the others do not hold")
	}
	q, err = Parse("a b "+strings.Repeat("é", maxText), now)
	if err == nil || q.ShowsAll() {
		t.Errorf("too long: %v", err)
	}
}

func TestGap(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "policy:web": true, "dropped": true, "node:worker2": true, "node:worker3": false, "not node:worker2": false, "since:5m": true, "since:1m": false,
	} {
		q, _ := Parse(text, now)
		if got := q.MatchGap("ovn-worker2", now.Add(-2*time.Minute)); got != want {
			t.Errorf("%q shows the gap: %v, want %v", text, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	lines := slices.Values([]*QueryLine{sample()})
	for text, want := range map[string]string{
		"pol": "policy:", "policy:w": "policy:web", "x !nod": "x !node:", "verdict:d": "verdict:deny", "pod:blue/a": "pod:blue/api",
		"not ns:bl": "not ns:blue", "ns:red->bl": "ns:red->blue", "ns:=bl": "ns:=blue", "ns:=red->=bl": "ns:=red->=blue", "pod:=blue/a": "pod:=blue/api", "policy:db,w": "policy:db,web", "policy:=w": "policy:=web", "port:4": "port:443", "port:tc": "port:tcp/443",
		"rule:eg": "rule:egress:3", "rule:def": "rule:default-deny", "since:1": "since:15m", "dst:8": "dst:8.8.8.8", "sev": "severity:",
		"": "", "policy:zz": "", "nobody:x": "", "zzz": "", "policy:web": "", "pol ": "", `"pol`: "", "/pol": "", "ns:blue": "",
	} {
		if got := CompleteWord(text, lines); got != want {
			t.Errorf("%q goes on as %q, want %q", text, got, want)
		}
	}
	want := []string{"verdict:allow", "verdict:deny", "verdict:drop"}
	if diff := cmp.Diff(want, Completions("verdict:", 3, nil)); diff != "" {
		t.Error(diff)
	}
}

// A query of texts alone looks at nothing else of a line.
func TestTextOnly(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "12.*dropped": true, `"a text" not /regex/ word`: true, "dropped port:53": false, "not node:w2": false, "since:5m": false,
	} {
		q, err := Parse(text, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got := q.IsTextOnly(); got != want {
			t.Errorf("%q: %v", text, got)
		}
		if want {
			q.MatchLine(&QueryLine{Text: func() string { return "12:00 a text word dropped" }}) // would panic where it looked
		}
	}
}
