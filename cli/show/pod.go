package show

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/connections"
	"rung/revision/omitted"
	"rung/revision/policies"
)

type podOut struct {
	Namespace  string   `json:"namespace"`
	Name       string   `json:"name"`
	Node       string   `json:"node"`
	Phase      string   `json:"phase"`
	IPs        []string `json:"ips"`
	Labels     string   `json:"labels"`
	Note       string   `json:"note,omitempty"`
	PrimaryUDN string   `json:"primary_udn,omitempty"`
	// Isolated are the NetworkPolicies that isolate the pod, by direction: what
	// none of them allows is dropped.
	Isolated map[string][]string `json:"isolated_by"`
	Touches  []touchOut          `json:"touches"`

	isolated map[model.Direction][]string // labels
}

type touchOut struct {
	Policy    string `json:"policy"`
	Priority  *int32 `json:"priority,omitempty"`
	Tier      int    `json:"tier"`
	Direction string `json:"direction"`
	Rule      int    `json:"rule"`
	RuleName  string `json:"rule_name,omitempty"`
	Action    string `json:"action"`
	Subject   bool   `json:"subject"`
	Peer      bool   `json:"peer"`
	// Network is the network peer the pod's address is in, if no selector
	// found it.
	Network string `json:"network,omitempty"`
	// NoRows is why the policy is not enforced as it is.
	NoRows string `json:"no_rows,omitempty"`
	// Broken names the parts of the rule that match nothing.
	Broken string `json:"broken,omitempty"`

	label, mark string
	firewall    bool // of an EgressFirewall
}

func Pod(a *command.App) *cobra.Command {
	return a.QueryCommand(&cobra.Command{
		Use:   "pod NAMESPACE/NAME",
		Short: "Show every rule that touches a pod, in order of precedence",
		Long: `Show every rule that touches a pod, as subject or as peer, in order of precedence, and
the NetworkPolicies that isolate it: what none of them allows is dropped by the
default deny of its namespace. An EgressFirewall decides in the to-lport stage: even
after an egress Allow above it, but not after a drop. A NetworkPolicy rule without
peers means everybody; it is listed for its subjects only.`,
		Example: `  rung pod red/canary-0 -f policies/
  rung pod red/canary-0 --context staging -o json`,
		Args:              command.TakesArgs(0, "NAMESPACE/NAME"),
		ValidArgsFunction: a.CompleteFirst(command.PodChoices),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Answer: func(_ context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			pod, err := podNamed(r, args[0])
			if err != nil {
				return nil, err
			}
			out := describePod(r, pod)
			return &command.Answer{Value: out, Text: func(bool) string { return out.text() }, NotConsidered: omitted.OmissionsOfObjects(r)}, nil
		}}
	})
}

func podNamed(r *revision.Revision, name string) (*model.Pod, error) {
	ns, pod, ok := strings.Cut(name, "/")
	if !ok {
		for p := range r.Cluster.Pods() {
			if p.Name == name {
				return nil, fmt.Errorf("pod %q: want NAMESPACE/NAME, such as %s/%s", name, p.Namespace, p.Name)
			}
		}
		return nil, fmt.Errorf("pod %q: want NAMESPACE/NAME", name)
	}
	if p := r.Cluster.Pod(ns, pod); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no pod %s among the %s read", name, words.Count(r.Cluster.Count(model.KindPod), "pod"))
}

func describePod(r *revision.Revision, pod *model.Pod) *podOut {
	out := &podOut{Namespace: pod.Namespace, Name: pod.Name, Node: pod.NodeName, Phase: pod.Phase,
		IPs: append([]string{}, pod.IPs...), Labels: pod.Labels.String(), PrimaryUDN: pod.PrimaryUDN(),
		Isolated: map[string][]string{}, Touches: []touchOut{}, isolated: map[model.Direction][]string{}}
	out.Note, _ = policies.PodNote(pod)
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		out.Isolated[dir.Lower()] = []string{}
		for _, k := range connections.IsolatingPolicies(r, pod, dir) {
			out.Isolated[dir.Lower()] = append(out.Isolated[dir.Lower()], k.String())
			out.isolated[dir] = append(out.isolated[dir], k.Label())
		}
	}
	for _, t := range connections.RulesTouchingPod(r, pod) {
		p := r.Cluster.Policy(t.Policy)
		rule := p.Rule(t.Direction, t.Rule)
		o := touchOut{Policy: t.Policy.String(), Tier: p.Tier, Direction: t.Direction.Lower(), Rule: t.Rule,
			RuleName: rule.Name,
			Action:   p.Kind.ActionWord(rule.Action), Subject: t.AsSubject, Peer: t.AsPeer, Network: t.Network, Broken: rule.BrokenPortsText(),
			label: t.Policy.Label(), firewall: p.Kind == model.KindEF}
		if p.Kind.HasPriority() {
			o.Priority = &p.Priority
		}
		if none := r.WhyNoRows(t.Policy); none != nil {
			o.NoRows, o.mark = none.Message, "✗ not enforced: "+policies.NoRowsShort(r, none)
		}
		out.Touches = append(out.Touches, o)
	}
	return out
}

func (o *podOut) text() string {
	ips, node := strings.Join(o.IPs, " "), o.Node
	if ips == "" {
		ips = "no address"
	}
	if node == "" {
		node = "no node"
	}
	s := fmt.Sprintf("pod %s/%s  %s  %s  %s\nlabels  %s\n", o.Namespace, o.Name, ips, node, o.Phase, o.Labels)
	if o.Note != "" {
		s += "note    " + o.Note + "\n"
	}
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		if by := o.isolated[dir]; len(by) > 0 {
			s += fmt.Sprintf("%-7s isolated by %s: whatever no NetworkPolicy allows is dropped\n", dir.Lower(),
				strings.Join(by, ", "))
		}
	}
	if len(o.Touches)+len(o.isolated[model.Ingress])+len(o.isolated[model.Egress]) == 0 {
		return s + "\nno rule touches this pod\n"
	}
	t := &command.TextTable{Head: []string{"TIER", "PRIO", "POLICY", "RULE", "ACTION", "POD IS", "NAME"}}
	denied := false // the default deny stands behind the NetworkPolicies, before the EgressFirewall
	deny := func() {
		for _, dir := range []model.Direction{model.Ingress, model.Egress} {
			if by := o.isolated[dir]; len(by) > 0 && !denied {
				t.Add(fmt.Sprint(model.TierNetwork), "", "default deny of "+o.Namespace, dir.Lower(), string(model.Deny),
					"isolated", "by "+strings.Join(by, ", "))
			}
		}
		denied = true
	}
	for i := range o.Touches {
		x := &o.Touches[i]
		if x.Tier > model.TierNetwork || x.firewall {
			deny()
		}
		prio := ""
		if x.Priority != nil {
			prio = fmt.Sprint(*x.Priority)
		}
		name := marked(x.RuleName, x.Broken)
		if x.firewall {
			name = "to-lport: even after an egress Allow, not after a drop"
		}
		if x.mark != "" {
			name = strings.TrimSpace(name + "  " + x.mark)
		}
		t.Add(fmt.Sprint(x.Tier), prio, x.label, fmt.Sprintf("%s %d", x.Direction, x.Rule), x.Action, x.role(), name)
	}
	deny()
	return s + "\n" + t.String()
}

// role says what the pod is to the rule.
func (x *touchOut) role() string {
	peer := "peer"
	if x.Network != "" {
		peer += " in " + x.Network
	}
	switch {
	case x.Subject && x.Peer:
		return "subject and " + peer
	case x.Subject:
		return "subject"
	}
	return peer
}
