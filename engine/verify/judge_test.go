package verify

import (
	"fmt"
	"strings"
	"testing"

	"rung/compiler"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/made"
)

func cluster(t *testing.T, more ...model.Object) *revision.Revision {
	t.Helper()
	done := made.Pod("blue/job", "app=job", "10.1.0.9")
	done.Phase = "Succeeded"
	host := made.Pod("blue/proxy", "app=proxy", "172.18.0.2")
	host.HostNetwork, host.NodeName = true, "n0"
	pod := func(name, labels, ip, node string) *model.Pod {
		p := made.Pod(name, labels, ip)
		p.NodeName = node
		return p
	}
	service := func(name string, selector string, port int32) *model.Service {
		return &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "red", Name: name}}, Selector: made.Pod("x/x", selector).Labels,
			Ports: []model.ServicePort{{Protocol: "TCP", Port: port, TargetPort: "8080"}}, ClusterIPs: []string{"10.96.0.1"}}
	}
	node := made.Node("n0", "role=a", "172.18.0.2")
	node.InternalIPs, node.MgmtIPs = node.HostIPs, []string{"10.1.0.2"}
	objects := append([]model.Object{made.NS("blue", "tenant=blue"), made.NS("red", "tenant=red"), node, made.Node("n1", "role=b", "172.18.0.3"),
		pod("blue/web-0", "app=web", "10.1.0.3", "n0"), pod("blue/api-0", "app=api", "10.1.0.4", "n1"), pod("red/web-0", "app=web", "10.1.0.5", "n1"), done, host,
		service("web", "app=web", 80), service("empty", "app=none", 80),
		made.ANP("guard", 10, "tenant=red", []model.Rule{made.Rule(model.Allow, made.Peers(made.PodPeer("tenant=blue", "app=web")), made.TCP(8080)),
			made.Rule(model.Deny, made.Peers(made.NSPeer("*")))}, nil)}, more...)
	c := made.Cluster(objects...)
	return revision.New(revision.Facts{Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil)
}

func judged(t *testing.T, r *revision.Revision, how Options, text string) ([]Result, []*Problem) {
	t.Helper()
	s, problems := ReadStatements("x", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems[0])
	}
	results, problems, err := JudgeStatements(t.Context(), r, s, how)
	if err != nil {
		t.Fatal(err)
	}
	return results, problems
}

// Each kind of end is found and asked, and the answer says in a line what there was.
func TestEnds(t *testing.T) {
	r := cluster(t)
	for text, want := range map[string]string{
		"expect: allow, from: blue/web-0, to: red/web-0, port: 8080":                       "holds: 1 pair allowed",
		"expect: allow, from: blue/web-0, to: red/web-0, port: 8080-8081":                  "fails: not allowed",
		"expect: deny, from: {namespace: blue}, to: {namespace: red}":                      "fails: 1 of 2 pairs not denied; left out: 1 completed and 1 host-networked",
		"expect: deny, from: {namespace: blue}, to: {namespace: red}, exceptPort: 8080":    "holds: 2 pairs denied; left out: 1 completed and 1 host-networked",
		"expect: allow, match: some, from: {namespace: blue}, to: {namespace: red}":        "holds: some connection is allowed; left out: 1 completed and 1 host-networked",
		"expect: allow, match: some, from: api-0, to: {namespace: red}":                    "fails: not allowed",
		"expect: allow, from: blue/web-0, to: service/red/web":                             "holds: 1 pair allowed",
		"expect: allow, from: blue/api-0, to: {namespace: red, service: web}":              "fails: not allowed",
		"expect: allow, from: {node: {role: a}}, to: blue/web-0":                           "holds: 1 pair allowed",
		"expect: allow, from: {namespace: blue}, to: {address: [192.0.2.1, 192.0.2.2]}":    "holds: 4 pairs allowed; left out: 1 completed and 1 host-networked",
		"expect: deny, from: blue/job, to: blue/web-0":                                     "fails: not denied",
		"expect: deny, from: {pod: {app: job}}, to: blue/web-0":                            "fails: nothing to ask: no pods match; if that is right, write allowNone: true; left out: 1 completed",
		"expect: deny, from: {pod: {app: job}}, to: blue/web-0, allowNone: true":           "holds: no pods match; passes; left out: 1 completed",
		"expect: deny, from: blue/web-0, to: blue/web-0, allowNone: true":                  "holds: only one pod matches; passes",
		"expect: deny, from: blue/web-0, to: blue/web-0":                                   "fails: nothing to ask: only one pod matches; if that is right, write allowNone: true",
		"expect: deny, from: [blue/web-0, {pod: web-0, namespace: blue}], to: api-0":       "fails: not denied",
		"expect: deny, from: {namespace: {tenant: [blue, red]}}, to: {node: n0}, port: 22": "fails: none of 3 pairs denied; left out: 1 completed and 1 host-networked",
	} {
		results, problems := judged(t, r, Options{}, "- {"+text+"}")
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems[0])
			continue
		}
		got := "fails: " + results[0].Message()
		if results[0].Holds {
			got = "holds: " + results[0].Message()
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
		if results[0].Holds == (results[0].Trace != nil) && !results[0].None {
			t.Errorf("%s: a trace where it holds, or none where it does not", text)
		}
	}
}

// What is not there, or means several things, is a mistake at its place; the other
// statements are judged.
func TestUnknown(t *testing.T) {
	r := cluster(t)
	for text, want := range map[string]string{
		"from: blue/gone, to: blue/web-0":                                     "x:2: [1].from: pod blue/gone does not exist",
		"from: web-0, to: blue/api-0":                                         `x:2: [1].from: "web-0" is ambiguous: blue/web-0 or red/web-0`,
		"from: {pod: web-0}, to: blue/api-0":                                  `x:2: [1].from.pod: "web-0" is ambiguous: blue/web-0 or red/web-0`,
		"from: nobody, to: blue/api-0":                                        `x:2: [1].from: "nobody": no pod or node has this name; want a pod`,
		"from: {namespace: blu}, to: blue/web-0":                              "x:2: [1].from.namespace: namespace blu does not exist",
		"from: {namespace: [blue, red], pod: [api-0, api-1]}, to: blue/web-0": "x:2: [1].from.pod: pod blue, red/api-1 does not exist",
		"from: node/n7, to: blue/web-0":                                       "x:2: [1].from: node n7 does not exist",
		"from: {node: [n0, n7]}, to: blue/web-0":                              "x:2: [1].from.node: node n7 does not exist",
		"from: blue/web-0, to: service/red/gone":                              "x:2: [1].to: service red/gone does not exist",
		"from: blue/web-0, to: service/red/empty":                             "x:2: [1].to: service red/empty has no endpoints",
		"from: {namespace: blue}, to: {namespace: red, service: empty}":       "x:2: [1].to: service red/empty has no endpoints",
		"from: blue/web-0, to: service/red/web, port: 81":                     "x:2: [1].port: service red/web has no such port; it has 80/TCP",
		"from: blue/web-0, to: service/red/web, protocol: ICMP":               "x:2: [1]: service red/web has no such port; it has 80/TCP",
	} {
		results, problems := judged(t, r, Options{}, "- {expect: allow, from: blue/web-0, to: blue/api-0}\n- {expect: allow, "+text+"}\n")
		if len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), want) {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
		if len(results) != 1 || !results[0].Holds {
			t.Errorf("%s: the other statement: %v", text, results)
		}
	}
}

// A pod that is imagined is judged as the same pod is once it is there.
func TestAsIf(t *testing.T) {
	for seed := range uint64(60) {
		d := draw(seed)
		r := d.revision()
		labels := d.pick("tier: x0", "tier: x1", "tier: x2, new: a")
		space := d.pick("{tenant: t0, env: e0, new: a}", "{tenant: t1, new: a}", "ns0", "made")
		text := fmt.Sprintf("- {expect: deny, from: {namespace: %s, pod: {new: b, %s}}, to: {namespace: {}}, allowNone: true, port: [80-82, 443]}\n", space, strings.ReplaceAll(labels, "new: a", "x: z"))
		results, problems := judged(t, r, Options{AsIf: true}, text)
		if len(problems) > 0 {
			t.Fatal(problems[0])
		}
		if !results[0].Imagined {
			t.Fatalf("%s: matches something", text)
		}
		// The same with the pods in the cluster: every namespace that the statement means
		// has them, under names that nothing looks at.
		f := &endFinder{c: r.JudgedCluster(), imagine: true}
		s, _ := ReadStatements("x", []byte(text))
		f.findSide(s[0].From, true)
		there := r.WithImagined(f.imagined)
		var mine []string
		for _, x := range f.imagined {
			mine = append(mine, x.Namespace+"/"+x.Name)
		}
		pairs, against := 0, 0
		for _, name := range mine {
			ns, pod, _ := strings.Cut(name, "/")
			for q := range r.JudgedCluster().Pods() {
				if _, ok := isOrdinary(q); !ok || r.Cluster.Namespace(q.Namespace) == nil {
					continue
				}
				bad, asked := false, false
				for _, fam := range []verdict.Family{verdict.IPv4, verdict.IPv6} {
					for _, port := range []uint16{80, 81, 82, 443} {
						a, err := verdict.FromPolicies(there.Verdicts(), verdict.Connection{From: verdict.PodEnd(ns, pod), To: verdict.Endpoint{Key: q.Key}, Protocol: verdict.TCP, Port: port, Family: fam})
						if err != nil {
							t.Fatal(err)
						}
						if a.Verdict != verdict.NotApplicable {
							asked, bad = true, bad || a.Verdict != verdict.Deny
						}
					}
				}
				if asked {
					pairs++
				}
				if bad {
					against++
				}
			}
		}
		if got := &results[0]; got.Pairs != pairs || got.Against != against {
			t.Fatalf("seed %d: %s: %d of %d, one by one %d of %d", seed, text, got.Against, got.Pairs, against, pairs)
		}
	}
	// Policies are there before the workload: without --as-if it is said that nothing is.
	r := cluster(t)
	const text = "- {expect: deny, from: {namespace: {tenant: green}, pod: {app: web}}, to: {namespace: red}}"
	if results, _ := judged(t, r, Options{}, text); results[0].Holds || !results[0].None {
		t.Error(results[0].Message())
	}
	if results, _ := judged(t, r, Options{AsIf: true}, text); !results[0].Holds || results[0].Message() != "3 pairs denied (as if the pods existed)" {
		t.Error(results[0].Message())
	}
	if _, problems := judged(t, r, Options{AsIf: true}, "- {expect: deny, from: {pod: {app: [a, b]}}, to: {namespace: red}}"); len(problems) != 1 || !strings.HasSuffix(problems[0].Message, "one value each") {
		t.Error(problems)
	}
}

// Rows that differ from the policies fail a statement that the policies keep, and the trace
// shows both.
func TestByRows(t *testing.T) {
	r := cluster(t)
	results, _ := judged(t, r, Options{By: trace.Both}, "- {expect: allow, from: blue/web-0, to: red/web-0, port: 8080}")
	if got := &results[0]; got.Holds || !got.ByRows || got.Message() != "by the rows, not allowed" || got.Trace.Rows == nil {
		t.Errorf("no zone was read: %s", got.Message())
	}
	results, _ = judged(t, r, Options{By: trace.Both, Compiled: true}, "- {expect: allow, from: blue/web-0, to: red/web-0, port: 8080}")
	if !results[0].Holds {
		t.Error(results[0].Message())
	}
}

// Two pods are one pair, whatever number of families they have, and one that is against a
// statement in both is so once.
func TestPairsOfTwoFamilies(t *testing.T) {
	four := made.Pod("blue/six", "app=six", "10.1.0.20", "fd00::20")
	seven := made.Pod("red/seven", "app=seven", "10.1.0.21", "fd00::21")
	c := made.Cluster(made.NS("blue", "tenant=blue"), made.NS("red", "tenant=red"), four, seven,
		made.ANP("guard", 10, "tenant=red", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("*")), made.TCP(80))}, nil))
	r := revision.New(revision.Facts{Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true, IPv6: true})}, nil)
	for text, want := range map[string]string{
		"expect: allow, from: {pod: {app: six}}, to: {pod: {app: seven}}, port: 81":             "1 pair allowed",
		"expect: deny, from: {pod: {app: six}}, to: {pod: {app: seven}}, port: 80":              "1 pair denied",
		"expect: allow, from: {pod: {app: six}}, to: {pod: {app: seven}}, port: 80":             "not allowed",
		"expect: deny, from: blue/six, to: red/seven, port: 80":                                 "1 pair denied",
		"expect: allow, from: blue/six, to: red/seven, port: 80":                                "not allowed",
		"expect: allow, from: blue/six, to: red/seven, match: some, port: 80":                   "not allowed",
		"expect: deny, from: {pod: {app: six}}, to: {pod: {app: seven}}, match: some, port: 80": "some connection is denied",
	} {
		results, problems := judged(t, r, Options{By: trace.Policies}, "- {"+text+"}")
		if len(results) != 1 || len(problems) > 0 || results[0].Message() != want {
			t.Errorf("%s: %+v %v", text, results[0].Message(), problems)
		}
	}
}

// A pod that labels leave out is asked where it is named, too, in whichever order.
func TestLeftOutAndNamed(t *testing.T) {
	r := cluster(t)
	var said []string
	for _, from := range []string{"blue/proxy", "[blue/proxy, {namespace: blue, pod: {app: proxy}}]", "[{namespace: blue, pod: {app: proxy}}, blue/proxy]"} {
		results, problems := judged(t, r, Options{By: trace.Policies}, "- {expect: deny, from: "+from+", to: red/web-0, port: 80}")
		if len(results) != 1 || len(problems) > 0 {
			t.Fatal(problems)
		}
		said = append(said, results[0].Message())
	}
	if said[0] != said[1] || said[0] != said[2] || strings.Contains(said[0], "left out") {
		t.Errorf("%q", said)
	}
}
