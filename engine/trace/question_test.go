package trace_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/uitest"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]trace.Question{
		"blue/api-0 red/web-0 80":     {From: "blue/api-0", To: "red/web-0", Port: 80},
		"blue/api-0 red/web-0 udp 53": {From: "blue/api-0", To: "red/web-0", Protocol: "UDP", Port: 53},
		"blue/api-0 red/web-0 53 UDP": {From: "blue/api-0", To: "red/web-0", Protocol: "UDP", Port: 53},
		"blue/api-0 red/web-0 53/udp": {From: "blue/api-0", To: "red/web-0", Protocol: "UDP", Port: 53},
		"blue/api-0 to 10.1.2.3 icmp": {From: "blue/api-0", To: "10.1.2.3", Protocol: "ICMP"},
		"a/b → c/d tcp 80":            {From: "a/b", To: "c/d", Protocol: "TCP", Port: 80}, // as answers have it
		"a/b->c/d 80/tcp":             {From: "a/b", To: "c/d", Protocol: "TCP", Port: 80},
		"- service/a/b TCP -":         {To: "service/a/b", Protocol: "TCP"},
		"":                            {},
		"node/n fd00::1 sctp 9":       {From: "node/n", To: "fd00::1", Protocol: "SCTP", Port: 9},
	} {
		got, err := trace.ParseQuestion(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
		again, err := trace.ParseQuestion(got.String())
		if got.Protocol == "" {
			got.Protocol = "TCP"
		}
		if err != nil || again != got {
			t.Errorf("%q is written as %q and read as %+v, %v", text, got.String(), again, err)
		}
	}
	for text, want := range map[string]string{
		"a/b c/d 80 tcp more": `"more" is one word too many`,
		"a/b c/d 0":           "port 0: use 1 to 65535",
		"a/b c/d 70000":       "port 70000: use 1 to 65535",
		"a/b c/d gre":         `protocol "gre": use TCP, UDP, SCTP or ICMP`,
		"a/b c/d x/udp":       `"x/udp": want a port and a protocol`,
	} {
		if _, err := trace.ParseQuestion(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for want, q := range map[string]trace.Question{
		"":                                   {From: "a/b", To: "c/d", Port: 80},
		"from is missing":                    {To: "c/d", Port: 80},
		`to "nowhere": want`:                 {From: "a/b", To: "nowhere", Port: 80},
		"TCP needs a port":                   {From: "a/b", To: "c/d"},
		"ICMP has no ports":                  {From: "a/b", To: "c/d", Protocol: "icmp", Port: 1},
		"a Service cannot begin connections": {From: "svc/a/b", To: "c/d", Port: 1},
		"of different families":              {From: "10.0.0.1", To: "fd00::1", Port: 1},
		"use 1 to 65535":                     {From: "a/b", To: "c/d", Port: 70000},
	} {
		if got := q.Check(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", q, got, want)
		}
	}
	_, err := trace.Question{From: "a/b"}.Connection()
	var end *trace.EndError
	if !errors.As(err, &end) || end.Which != "to" || end.Err != nil {
		t.Errorf("a missing end is %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a/b c/d 80", "- - TCP -", "node/n 10.0.0.1 53/udp", "a to b icmp", "svc/a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := trace.ParseQuestion(text)
		if err != nil {
			return
		}
		again, err := trace.ParseQuestion(q.String())
		if err != nil {
			t.Fatalf("%q is written as %q, which cannot be read: %v", text, q.String(), err)
		}
		if again.From != q.From || again.To != q.To || again.Port != q.Port {
			t.Fatalf("%q is %+v, written as %q it is %+v", text, q, q.String(), again)
		}
		q.Check()
	})
}

func TestCommands(t *testing.T) {
	got := map[string]string{}
	for _, q := range []trace.Question{
		{From: "blue/api-0", To: "red/web-0", Port: 80},
		{From: "blue/api-0", To: "service/kube-system/kube-dns", Protocol: "UDP", Port: 53},
		{From: "blue/api-0", To: "10.1.2.3", Port: 443},
		{From: "blue/api-0", To: "red/web-0", Protocol: "ICMP"},
		{From: "10.1.2.3", To: "red/web-0", Port: 80},
		{From: "blue/api-0", To: "node/n", Port: 80},
	} {
		c, err := q.Connection()
		if err != nil {
			t.Fatal(err)
		}
		line, why := trace.OvnkubeTrace(c)
		got[q.Command()] = line + why
	}
	want := map[string]string{
		"rung trace --from blue/api-0 --to red/web-0 --port 80 --by both":                                   "ovnkube-trace -src-namespace blue -src api-0 -dst-namespace red -dst web-0 -tcp -dst-port 80",
		"rung trace --from blue/api-0 --to service/kube-system/kube-dns --protocol UDP --port 53 --by both": "ovnkube-trace -src-namespace blue -src api-0 -dst-namespace kube-system -service kube-dns -udp -dst-port 53",
		"rung trace --from blue/api-0 --to 10.1.2.3 --port 443 --by both":                                   "ovnkube-trace -src-namespace blue -src api-0 -dst-ip 10.1.2.3 -tcp -dst-port 443",
		"rung trace --from blue/api-0 --to red/web-0 --protocol ICMP --by both":                             "ovnkube-trace supports only TCP and UDP",
		"rung trace --from 10.1.2.3 --to red/web-0 --port 80 --by both":                                     "ovnkube-trace starts only from pods",
		"rung trace --from blue/api-0 --to node/n --port 80 --by both":                                      "ovnkube-trace supports only pods, Services and addresses",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEndText(t *testing.T) {
	for _, k := range []model.Key{{Kind: model.KindPod, Namespace: "a", Name: "b"}, {Kind: model.KindNode, Name: "n"}, {Kind: model.KindService, Namespace: "a", Name: "b"}} {
		if e, err := trace.ParseEnd(trace.EndText(k)); err != nil || e != (verdict.Endpoint{Key: k}) {
			t.Errorf("%v is written as %q and read as %v, %v", k, trace.EndText(k), e, err)
		}
	}
}

// Ends are found as kubectl's users write them: by kind and name, alone or within a namespace.
func TestEndsOfKubectl(t *testing.T) {
	r := revision.New(*uitest.DemoFacts(t), nil)
	names, all := trace.NewEndNames(r.Cluster, r), trace.EndChoices(r)
	for _, tc := range []struct{ text, namespace, want string }{
		{"svc/kube-dns", "kube-system", "service/kube-system/kube-dns"},
		{"service/kube-dns", "", "service/kube-system/kube-dns"},
		{"services/kube-system/kube-dns", "", "service/kube-system/kube-dns"},
		{"pod/api-d0", "blue", "blue/api-d0"},
		{"po/blue/api-d0", "", "blue/api-d0"},
		{"api-d0", "blue", "blue/api-d0"},
		{"nodes/ovn-worker", "blue", "node/ovn-worker"},
	} {
		e, err := names.ReadEnd(tc.text, tc.namespace, true)
		if err != nil || trace.EndText(e.Key) != tc.want {
			t.Errorf("%s -n %s: %v, %v", tc.text, tc.namespace, e, err)
		}
		hits := trace.FindChoices(all, tc.text+" -n "+tc.namespace, true)
		if tc.text[:1] != "n" && (len(hits) == 0 || all[hits[0]].Text != tc.want) {
			t.Errorf("%s -n %s offers %v", tc.text, tc.namespace, hits)
		}
	}
	if _, err := names.ReadEnd("svc/kube-dsn", "", true); err == nil ||
		!strings.HasSuffix(err.Error(), "no service has this name; did you mean: service/kube-system/kube-dns") {
		t.Error(err)
	}
	if got := trace.SimilarChoice(all, "svc/kube-dsn", true); got != "; did you mean: service/kube-system/kube-dns" {
		t.Error(got)
	}
	if q, err := trace.ParseQuestion("api-d0 svc/x 53 -n blue"); err != nil || q.Namespace != "blue" || q.Port != 53 {
		t.Error(q, err)
	}
	q := trace.CompleteEnds(all, trace.Question{From: "api-d0", To: "svc/kube-dns", Namespace: "kube-system"})
	if q.To != "service/kube-system/kube-dns" {
		t.Error(q)
	}
}
