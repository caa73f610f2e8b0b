package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
)

// churnPods bounds the simulated pods at a time.
const churnPods = 20

// runChurn simulates pod events at a rate: copies of running pods, under other names, come and go. It tests
// how the console keeps up; the header says that events are simulated.
func (l *Lab) runChurn(rate float64) {
	tick := time.NewTicker(max(time.Duration(min(float64(time.Second)/rate, float64(time.Hour))), time.Microsecond))
	defer tick.Stop()
	var made [churnPods]model.Key // only for the loop
	for n := 0; ; n++ {
		select {
		case <-l.Context().Done():
			return
		case <-tick.C:
		}
		// One event: delete the pod made a round ago, or add one.
		slot := n / 2 % churnPods
		come := n%2 == 1
		l.Send(func() {
			switch {
			case come:
				made[slot] = l.churnPod(slot)
			case made[slot] != model.Key{}:
				l.Apply(nil, []model.Key{made[slot]})
				made[slot] = model.Key{}
			}
		})
	}
}

// churnPod copies a running pod, another one for each slot; the key is zero without such a pod.
func (l *Lab) churnPod(slot int) model.Key {
	var like *model.Pod
	i := 0
	for p := range l.Cluster().Pods() {
		if !p.CanBePeer() || strings.HasPrefix(p.Name, churnPrefix) {
			continue
		}
		like = p
		i++
		if i > slot*7 {
			break
		}
	}
	if like == nil {
		return model.Key{}
	}
	pod := *like
	pod.Name = fmt.Sprint(churnPrefix, slot)
	if l.Cluster().Pod(pod.Namespace, pod.Name) != nil {
		return model.Key{} // a user's own
	}
	pod.UID = ""
	pod.IPs = []string{fmt.Sprintf("10.255.0.%d", slot+1)}
	if !slices.ContainsFunc(like.IPs, func(ip string) bool { return strings.Contains(ip, ".") }) {
		// Another address family would recompile everything.
		pod.IPs = []string{fmt.Sprintf("fd00:ffff::%x", slot+1)}
	}
	l.Apply([]model.Object{&pod}, nil)
	return pod.Key
}

const churnPrefix = "rung-churn-"
