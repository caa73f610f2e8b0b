package trace_test

import (
	"testing"

	"rung/engine/trace"
)

// A question names its network last, and reads back as it was written.
func TestQuestionOnNetwork(t *testing.T) {
	for text, want := range map[string]trace.Question{
		"a/x b/y tcp 80 on storage": {From: "a/x", To: "b/y", Protocol: "TCP", Port: 80, Network: "storage"},
		"a/x -> b/y icmp ON blue":   {From: "a/x", To: "b/y", Protocol: "ICMP", Network: "blue"},
		"a/x b/y 80 ipv6 on blue":   {From: "a/x", To: "b/y", Port: 80, IPVersion: 6, Network: "blue"},
		"a/x on":                    {From: "a/x", To: "on"},
	} {
		q, err := trace.ParseQuestion(text)
		if err != nil || q != want {
			t.Errorf("%q: %+v, %v", text, q, err)
		}
		again, err := trace.ParseQuestion(q.String())
		if err != nil || again.String() != q.String() {
			t.Errorf("%q reads back as %+v, %v", q.String(), again, err)
		}
	}
	if _, err := trace.ParseQuestion("a/x b/y 80 on"); err == nil {
		t.Error("a network without a name was taken")
	}
}
