package kube

import (
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"

	"rung/model"
	"rung/test/apiserver"
)

const brokenServer = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcd is away","reason":"InternalError","code":500}`

func blueCondition() model.Condition {
	return model.Condition{Type: "Ready-In-Zone-n1", Status: "True", Reason: "SetupSucceeded", Message: "ok", Changed: model.Stamp{Time: reported}}
}

// However long the server is away, a condition that changed meanwhile is written:
// nobody says it a second time.
func TestConditionsOutlastTheServer(t *testing.T) {
	api := &reportAPI{answer: func(_ *http.Request, n int) (int, string) {
		if n <= 2*reportTries {
			return 500, brokenServer
		}
		return 0, ""
	}}
	r := NewReporter(api.cluster(t), func(error) {})
	r.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[reportKey](time.Millisecond, time.Millisecond))
	runs(t, r)
	r.SetCondition("n1", blueKey, blueCondition())
	idle(t, r)
	if n, _ := r.WaitingReports(); n != 0 || len(api.taken()) != 2*reportTries+1 {
		t.Error("the condition was given up")
	}
	if _, dropped := r.WaitingReports(); dropped != 0 {
		t.Errorf("%d dropped", dropped)
	}
}

// What a replica that leads no more has not written yet is for the next to say.
func TestForgetZone(t *testing.T) {
	api := &reportAPI{answer: func(*http.Request, int) (int, string) { return 500, brokenServer }}
	r, _ := reporting(t, api.cluster(t), func(error) {})
	r.SetCondition("n1", blueKey, blueCondition())
	r.SetCondition("n2", blueKey, blueCondition())
	r.Event(model.Event{About: blueKey, Reason: "x", Reporter: "n1", Last: reported})
	r.ForgetZone("n1")
	if n, _ := r.WaitingReports(); n != 1 {
		t.Errorf("%d wait, want that of the other zone", n)
	}
}

// The last condition of a policy cannot be taken away by an apply: what is left is
// no object any more, and CRDs of v1alpha1 want the list.
func TestLastConditionTakenAway(t *testing.T) {
	for _, c := range []struct{ name, others, want string }{
		{"alone", "", "PATCH application/json-patch+json"},
		{"one came meanwhile", `,{"type":"Ready-In-Zone-n2","status":"True"}`, "GET"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := &reportAPI{answer: func(r *http.Request, _ int) (int, string) {
				switch {
				case r.Method == http.MethodGet:
					return 200, `{"kind":"AdminNetworkPolicy","apiVersion":"policy.networking.k8s.io/v1alpha1","metadata":{"name":"blue","resourceVersion":"7"},` +
						`"status":{"conditions":[{"type":"Ready-In-Zone-n1","status":"True"}` + c.others + `]}}`
				case strings.Contains(r.Header.Get("Content-Type"), "apply"):
					return 422, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"status: Invalid value: \"null\"","reason":"Invalid","code":422}`
				}
				return 0, ""
			}}
			err := api.cluster(t).ApplyCondition(t.Context(), "n1", blueKey, nil)
			if (err == nil) != (c.others == "") {
				t.Errorf("%v", err)
			}
			last := api.taken()
			s := last[len(last)-1]
			if got := strings.TrimSpace(s.Line[:strings.Index(s.Line, " ")] + " " + s.ContentType); got != c.want {
				t.Errorf("last %q %q", s.Line, s.ContentType)
			}
		})
	}
}

// An event whose answer was lost is counted once.
func TestEventsNotDoubled(t *testing.T) {
	c, s := clusterOf(t)
	lost := true
	s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
		if !lost || r.Method != http.MethodPost {
			return false
		}
		lost = false
		s.Put(r.Path+"/"+r.Body["metadata"].(map[string]any)["name"].(string), r.Body)
		apiserver.Fail(w, 504, "Timeout", "the answer was lost", nil)
		return true
	})
	r, _ := reporting(t, c, func(error) {})
	r.Event(model.Event{About: blueKey, Type: "Warning", Reason: "ANPWithDuplicatePriority", Message: "m", Reporter: "n1", Last: reported, Count: 1})
	idle(t, r)
	list, err := c.Builtin().Events("default").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Count != 1 {
		t.Errorf("%+v %v", list.Items, err)
	}
}
