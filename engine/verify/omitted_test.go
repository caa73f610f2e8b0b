package verify

import (
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/walk"
	"rung/revision"
	"rung/revision/omitted"
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
		filter := omitted.NewFilter(part, false)
		var ends []verdict.Endpoint
		for pod := range whole.Cluster.Pods() {
			ends = append(ends, verdict.PodEnd(pod.Namespace, pod.Name))
		}
		for _, from := range ends {
			for _, to := range ends {
				c := verdict.Connection{From: from, To: to, Protocol: verdict.TCP, Port: uint16(drawnPorts[d.IntN(4)])}
				was, err := walk.FromPolicies(whole.Verdicts(), c)
				if err != nil {
					continue
				}
				is, err := walk.FromPolicies(part.Verdicts(), c)
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
