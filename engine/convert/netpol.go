package convert

import (
	"context"
	"fmt"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/system"
)

// NetworkPolicy writes the isolation annotations and NetworkPolicies of 2016 as today's
// (older-forms.md#conversion), and proves it: the annotation counts before, and OVN-Kubernetes' current
// behaviour after.
func NetworkPolicy(ctx context.Context, r *revision.Revision) (*Result, error) {
	c := model.ToNetworkPolicies(r.Cluster)
	out := &Result{Before: system.OVN, After: system.OVN}
	for _, n := range c.Notes {
		out.Notes = append(out.Notes, Note(n))
	}
	made := make([]model.Object, 0, len(c.NewPolicies))
	for _, o := range c.NewPolicies {
		p, err := modelPolicy(o)
		if err != nil {
			return nil, err
		}
		out.Policies, made = append(out.Policies, p), append(made, p)
	}
	imagined, n, all := model.ImaginePods(r.JudgedCluster())
	if !all {
		out.Notes = append(out.Notes, Note{About: model.Key{Kind: model.KindPod, Name: "rung-imagined"},
			Text: fmt.Sprintf("the proof covers existing pods and %s imagined ones; the selectors name more labels", words.Thousands(n))})
	}
	before, _ := r.JudgedCluster().Upsert(imagined, nil)
	after, _ := before.Upsert(made, c.ReplacedPolicies)
	out.Proof.Imagined = n
	for p := range r.JudgedCluster().Pods() {
		if p.CanBePeer() {
			out.Proof.Pods++
		}
	}
	was, will := viewOfSide(r, before, true), viewOfSide(r, after, false)
	// First compare the policies alone, without rows OVN-Kubernetes adds for every pod.
	bare := func(v verdict.View) verdict.View {
		v.Defaults, v.AllowICMP = false, false
		return v
	}
	differs, err := listDifferences(ctx, bare(was), bare(will))
	if err == nil && len(differs) == 0 { // else they are among Differs
		out.Proof.NodeRows, err = listDifferences(ctx, was, will)
	}
	if err != nil {
		return nil, fmt.Errorf("compare both sides: %w", err)
	}
	out.Proof.Equal, out.Proof.Differs = len(differs) == 0, differs
	out.Proof.NodeRows = append(out.Proof.NodeRows, ownNodeDifferences(r, was, will)...)
	return out, nil
}

// ownNodeDifferences lists the isolated namespaces whose pods today accept everything from their own node,
// whatever NetworkPolicies say, and from themselves through a Service
// (ovn-kubernetes.md#hairpin-and-node-rows). The comparison of all connections omits addresses of nodes, so
// each is asked for here.
func ownNodeDifferences(r *revision.Revision, was, will verdict.View) (out []Difference) {
	if !will.Defaults {
		return nil
	}
	before, after := verdict.NewIndex(was), verdict.NewIndex(will)
	for ns := range r.Cluster.Namespaces() {
		if !model.IsIsolated(r.Cluster, ns.Name) {
			continue
		}
		for p := range r.Cluster.PodsIn(ns.Name) {
			ask := verdict.Connection{From: verdict.NodeEnd(p.NodeName), To: verdict.PodEnd(p.Namespace, p.Name), Protocol: verdict.TCP, Port: 80}
			a, err := verdict.FromPolicies(before, ask)
			b, err2 := verdict.FromPolicies(after, ask)
			if err != nil || err2 != nil {
				continue // unknown node
			}
			if a.Verdict == verdict.Deny && b.Verdict == verdict.Allow {
				out = append(out, Difference{Before: a.Verdict, After: b.Verdict, Example: ask.String(),
					From: "a pod's own node, and the pod itself through a Service", To: "pods of " + ns.Name, Ports: "any port",
					Text: "a pod's own node, and the pod itself through a Service → pods of " + ns.Name})
				break
			}
		}
	}
	return out
}

// viewOfSide returns the view for the verdicts of one side; then makes the isolation annotation of 2016 count.
func viewOfSide(r *revision.Revision, c *model.Cluster, then bool) verdict.View {
	o := r.Desired.Options()
	if !o.IPv4 && !o.IPv6 {
		o.IPv4 = true
	}
	f := r.Flags
	f.LegacyIsolation = then
	side := revision.New(revision.Facts{Cluster: c, Flags: f, Desired: compiler.Compile(c, o)}, nil)
	return verdict.View{Cluster: c, Options: side.VerdictOptions()}
}
