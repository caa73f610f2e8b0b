package verify

import (
	"fmt"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/made"
)

// A policy that was refused, or that has no rows but those of before, is never kept quiet about
// where it changes the answer, whatever is asked; nor is it said beside every answer.
func TestOmittedIsNeverSilent(t *testing.T) {
	asked, changed, said := 0, 0, 0
	for seed := range rounds() {
		d := draw(seed + 9000)
		whole := d.revision()
		all := slices.Collect(whole.Cluster.AllPolicies())
		if len(all) == 0 {
			continue
		}
		for i, was := range all { // as manifests are read
			p := *was
			p.Subject.Pods = model.SelectEverything()
			all[i] = &p
			facts, _ := whole.Cluster.Upsert([]model.Object{&p}, nil)
			whole = compiled(revision.Facts{Cluster: facts})
		}
		p := all[d.IntN(len(all))]
		var facts revision.Facts
		if d.IntN(2) == 0 { // refused: known by its name and priority
			facts.Cluster, _ = whole.Cluster.Upsert(nil, []model.Key{p.Key})
			facts.Broken = []model.Broken{{Severity: model.SeverityError, Origin: model.Origin{File: "a.yaml", Line: 3}, Key: p.Key, Priority: p.Priority,
				HasPriority: d.IntN(2) == 0, Code: "schema", Message: "is wrong"}}
		} else { // moved to where it has no rows, so that it may still decide where it was
			low := *p
			low.Priority = 150
			facts.Cluster, _ = whole.Cluster.Upsert([]model.Object{&low}, nil)
		}
		part := compiled(facts)
		filter := revision.NewFilter(part, false)
		var ends []verdict.Endpoint
		for pod := range whole.Cluster.Pods() {
			ends = append(ends, verdict.PodEnd(pod.Namespace, pod.Name))
		}
		for _, from := range ends {
			for _, to := range ends {
				c := verdict.Connection{From: from, To: to, Protocol: verdict.TCP, Port: uint16(drawnPorts[d.IntN(4)])}
				was, err := verdict.FromPolicies(whole.Verdicts(), c)
				if err != nil {
					continue
				}
				is, err := verdict.FromPolicies(part.Verdicts(), c)
				if err != nil {
					t.Fatal(err)
				}
				could := slices.ContainsFunc(filter.OmissionsChanging(&is), func(o model.Omission) bool { return o.Key == p.Key })
				asked++
				if could {
					said++
				}
				if was.Verdict != is.Verdict {
					changed++
					if !could {
						t.Fatalf("seed %d: %s → %s TCP %d is %s, with %s %s, and nothing says so", seed, from.Key, to.Key, c.Port, is.Verdict, p.Key, was.Verdict)
					}
				}
			}
		}
	}
	if changed < 50 || said > asked*3/4 {
		t.Errorf("of %d connections %d are changed, and %d say that they could be", asked, changed, said)
	}
	t.Logf("of %d connections %d are changed, and %d say that they could be", asked, changed, said)
}

func compiled(f revision.Facts) *revision.Revision {
	f.Loaded, f.Desired = true, compiler.Compile(f.Cluster, compiler.Options{IPv4: true, IPv6: true})
	return revision.New(f, nil)
}

// What a statement that holds hangs on is what each of its connections hangs on, asked one by one: pods
// that no omission tells apart are asked about once.
func TestOmissionsOfStatements(t *testing.T) {
	held, hang := 0, map[model.OmissionCode]int{}
	for seed := range rounds() {
		d := draw(seed + 33000)
		whole := d.revision()
		objects := []model.Object{}
		for p := range whole.Cluster.Pods() {
			q := *p
			if d.IntN(4) == 0 {
				q.Planned, q.Phase = &model.PlannedPod{Node: q.NodeName}, "Pending"
			}
			objects = append(objects, &q)
		}
		for p := range whole.Cluster.AllPolicies() { // moved to where they have no rows
			if q := *p; d.IntN(2) == 0 {
				q.Priority = 150
				objects = append(objects, &q)
			}
		}
		var facts revision.Facts
		facts.Cluster, _ = whole.Cluster.Upsert(objects, nil)
		for _, k := range []model.Key{{Kind: model.KindNP, Namespace: d.pick("ns0", "ns1"), Name: "np"}, {Kind: model.KindANP, Name: "lost"}, {Kind: model.KindPod, Namespace: "ns0", Name: "lost"},
			{Kind: model.KindNamespace, Name: d.pick("ns1", "nsX")}, {Kind: model.KindEF, Namespace: "ns0", Name: "default"}} {
			if d.IntN(2) == 0 {
				facts.Broken = append(facts.Broken, model.Broken{Severity: model.SeverityError, Origin: model.Origin{File: "a.yaml", Line: 3}, Key: k, Code: "schema", Message: "is wrong"})
			}
		}
		r := compiled(facts)
		text := ""
		for range 4 {
			text += "- {expect: " + d.pick("allow", "deny") + ", from: " + d.end() + ", to: " + d.end() + d.pick("", ", port: 80", ", port: 80-90", ", protocol: UDP") + "}\n"
		}
		statements, problems := ReadStatements("x", []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems[0])
		}
		results, problems, err := JudgeStatements(t.Context(), r, statements, Options{})
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		for i := range results {
			got := &results[i]
			if !got.Holds || got.None {
				continue
			}
			held++
			one := newOmissionFinder(revision.NewFilter(r, false), func(c verdict.Connection) (verdict.Answer, error) { return verdict.FromPolicies(r.Verdicts(), c) })
			all := verdict.NewClasses(r.Verdicts(), nil)
			pods := podsOf(r, statements[i].From, statements[i].To)
			all.VisitPodPairs(pods[0], pods[1], func(c verdict.PodPair) bool {
				one.checkPair(verdict.Connection{From: c.From, To: c.To, Family: c.Family}, segmentsOfPorts(c.Segments, r.Verdicts().PortSlices(statements[i].Ports, nil)))
				return true
			})
			texts := func(all []model.Omission) (out []string) {
				for _, o := range all {
					out = append(out, fmt.Sprint(o.Code, o.Key))
				}
				slices.Sort(out)
				return out
			}
			if a, b := texts(got.NotConsidered), texts(one.omissions); !slices.Equal(a, b) {
				t.Fatalf("seed %d: %s hangs on %v; one by one %v", seed, got, a, b)
			}
			for _, o := range got.NotConsidered {
				hang[o.Code]++
			}
		}
	}
	t.Log(held, hang)
	if held < 50 || len(hang) < 3 {
		t.Errorf("%d hold, on %v: the draw is one-sided", held, hang)
	}
}

// podsOf are the pods that two ends mean.
func podsOf(r *revision.Revision, ends ...[]StatementEnd) (out [2][]*model.Pod) {
	for p := range r.JudgedCluster().Pods() {
		for i := range out {
			if _, ok := isOrdinary(p); ok && means(r, ends[i], p) {
				out[i] = append(out[i], p)
			}
		}
	}
	return out
}

// An omission that could change only some ports of a run with one verdict is told: the ports beside them
// are decided before.
func TestOmissionAtSomePorts(t *testing.T) {
	anp := made.ANP("first", 10, "tenant=t", []model.Rule{made.Rule(model.Allow, made.Peers(made.NSPeer("*")), made.TCP(8000))}, nil)
	c := made.Cluster(made.NS("a", "tenant=t"), made.Node("worker", "", "172.18.0.2"), made.NS("b", ""), made.Pod("b/one", "app=x", "10.1.0.1"), made.Pod("a/two", "app=y", "10.1.0.2"), anp)
	r := compiled(revision.Facts{Cluster: c, Broken: []model.Broken{{Severity: model.SeverityError, Origin: model.Origin{File: "a.yaml", Line: 3},
		Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "refused"}, Code: "schema", Message: "is wrong"}}})
	for ports, want := range map[string]bool{"8000": false, "8000-8100": true, "8100": true} {
		statements, problems := ReadStatements("x", []byte("- {expect: allow, from: {namespace: b}, to: {namespace: a}, port: "+ports+"}\n"))
		if len(problems) > 0 {
			t.Fatal(problems[0])
		}
		results, problems, err := JudgeStatements(t.Context(), r, statements, Options{})
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		if got := len(results[0].UnprovenBy()) > 0; got != want || !results[0].Holds {
			t.Errorf("port %s: unproven %t, want %t: %v", ports, got, want, results[0].NotConsidered)
		}
	}
}
