package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
)

// churnPods is how many simulated pods there are at most at a time.
const churnPods = 20

// runChurn simulates pod events at a rate: pods of its own, copies of running
// ones under other names, come and go. It exists to try how the console keeps
// up, and the header says that events are simulated.
func (l *Lab) runChurn(rate float64) {
	tick := time.NewTicker(max(time.Duration(min(float64(time.Second)/rate, float64(time.Hour))), time.Microsecond))
	defer tick.Stop()
	var made [churnPods]model.Key // the loop alone looks at it
	for n := 0; ; n++ {
		select {
		case <-l.Context().Done():
			return
		case <-tick.C:
		}
		// One event: the pod made a round ago goes, or a new one comes.
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

// churnPod makes a pod after the model of a running one, each slot after another;
// the key is zero where there is none.
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
		return model.Key{} // somebody's own
	}
	pod.UID = ""
	pod.IPs = []string{fmt.Sprintf("10.255.0.%d", slot+1)}
	if !slices.ContainsFunc(like.IPs, func(ip string) bool { return strings.Contains(ip, ".") }) {
		// Another family would have everything compiled anew.
		pod.IPs = []string{fmt.Sprintf("fd00:ffff::%x", slot+1)}
	}
	l.Apply([]model.Object{&pod}, nil)
	return pod.Key
}

const churnPrefix = "rung-churn-"
