package lint

import (
	"slices"

	"rung/model"
	"rung/model/overlap"
)

// meaning is a number that a port name stands for and the first pod that says
// so.
type meaning struct {
	port model.Port
	pod  *model.Pod
}

// holdersShown bounds on how many pods a name is looked up for one rule: where
// hundreds of pods declare it the others say nothing new.
const holdersShown = 256

// meant is what a port name means on pods of a set, as text, each number once
// with its first pod: "tcp 8080 (blue/web-1)". An empty protocol means any.
func (l *linter) meant(name, protocol string, on overlap.PodSet) (out []string) {
	for _, m := range l.meanings(name, protocol, on) {
		out = append(out, m.port.String()+" ("+podName(m.pod)+")")
	}
	return out
}

func (l *linter) meanings(name, protocol string, on overlap.PodSet) (out []meaning) {
	numbers := l.numbers(name)
	left := 0 // numbers not seen yet: mostly a name has one, and the first pod says it
	for port := range numbers {
		if protocol == "" || port.Protocol == protocol {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	pods := 0
	for pod := range l.x.Pods(l.x.WithPort(name).And(on)) {
		for _, c := range pod.Ports {
			port := model.Port{Protocol: c.Protocol, Start: c.Port, End: c.Port}
			if c.Name != name || !numbers[port] || protocol != "" && c.Protocol != protocol ||
				slices.ContainsFunc(out, func(m meaning) bool { return m.port == port }) {
				continue
			}
			out, left = append(out, meaning{port, pod}), left-1
		}
		if pods++; left == 0 || pods == holdersShown {
			break
		}
	}
	return out
}

// numbers are all numbers that a port name stands for in the cluster.
func (l *linter) numbers(name string) map[model.Port]bool {
	if n, ok := l.stands[name]; ok {
		return n
	}
	n := map[model.Port]bool{}
	for pod := range l.x.Pods(l.x.WithPort(name)) {
		for _, c := range pod.Ports {
			if c.Name == name && c.Protocol != "" {
				n[model.Port{Protocol: c.Protocol, Start: c.Port, End: c.Port}] = true
			}
		}
	}
	if l.stands == nil {
		l.stands = map[string]map[model.Port]bool{}
	}
	l.stands[name] = n
	return n
}
