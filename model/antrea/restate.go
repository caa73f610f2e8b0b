package antrea

import (
	"maps"

	"rung/model"
	"rung/model/plan"
)

// RestatedPolicy returns the AdminNetworkPolicy or baseline as an Antrea ClusterNetworkPolicy at a place, in
// the form of the API. Pods, peers and ports stay, Deny becomes Drop, and enableLogging is set for rules whose
// action OVN-Kubernetes' annotation logs. It supports peers of namespaces, pods, networks and nodes, and
// numbered ports.
func RestatedPolicy(admin map[string]any, at plan.TierPlace) map[string]any {
	metadata, spec := maps.Clone(object(admin["metadata"])), object(admin["spec"])
	annotations := maps.Clone(object(metadata["annotations"]))
	raw, has := annotations[model.AnnotationLogging].(string)
	levels, _ := model.ParseLogging(raw, has)
	if has {
		delete(annotations, model.AnnotationLogging)
		metadata["annotations"] = annotations
	}
	out := map[string]any{"tier": at.Tier, "priority": at.Priority, "appliedTo": []any{restatedPods(object(spec["subject"]))}}
	names := map[any]int{}
	for _, side := range []string{"ingress", "egress"} {
		for _, r := range list(spec[side]) {
			names[object(r)["name"]]++
		}
	}
	for side, end := range map[string]string{"ingress": "from", "egress": "to"} {
		var rules []any
		for _, r := range list(spec[side]) {
			rule := restatedRule(object(r), end, levels)
			if names[rule["name"]] > 1 { // the API wants unique names
				rule["name"] = rule["name"].(string) + "-" + side
			}
			rules = append(rules, rule)
		}
		if len(rules) > 0 {
			out[side] = rules
		}
	}
	return map[string]any{"apiVersion": "crd.antrea.io/v1beta1", "kind": "ClusterNetworkPolicy", "metadata": metadata, "spec": out}
}

func restatedRule(r map[string]any, end string, levels model.LogLevels) map[string]any {
	action, _ := r["action"].(string)
	name, _ := r["name"].(string)
	out := map[string]any{"name": name, "action": action}
	if action == string(model.Deny) {
		out["action"] = "Drop"
	}
	if levels.ForAction(model.Action(action)) != "" {
		out["enableLogging"] = true
	}
	var peers, ports []any
	for _, p := range list(r[end]) {
		peer := object(p)
		if networks := list(peer["networks"]); len(networks) > 0 {
			for _, n := range networks {
				peers = append(peers, map[string]any{"ipBlock": map[string]any{"cidr": n}})
			}
			continue
		}
		peers = append(peers, restatedPods(peer))
	}
	for _, p := range list(r["ports"]) {
		port := object(p)
		if n := object(port["portNumber"]); n != nil {
			ports = append(ports, map[string]any{"protocol": n["protocol"], "port": n["port"]})
		} else {
			n := object(port["portRange"])
			ports = append(ports, map[string]any{"protocol": n["protocol"], "port": n["start"], "endPort": n["end"]})
		}
	}
	out[end] = peers
	if len(ports) > 0 {
		out["ports"] = ports
	}
	return out
}

// restatedPods returns a subject, or a peer of pods or nodes, in Antrea's form.
func restatedPods(e map[string]any) map[string]any {
	if nodes, ok := e["nodes"]; ok {
		return map[string]any{"nodeSelector": nodes}
	}
	if pods := object(e["pods"]); pods != nil {
		return map[string]any{"namespaceSelector": pods["namespaceSelector"], "podSelector": pods["podSelector"]}
	}
	return map[string]any{"namespaceSelector": e["namespaces"]}
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
