package manifests

import (
	"fmt"
	"strings"
	"testing"
)

// The pods of a large StatefulSet that are not made are told if a policy selects by number.
func TestNumberedPodsThatAreNotMade(t *testing.T) {
	for _, tt := range []struct {
		label string
		wants int
		told  bool
	}{{"apps.kubernetes.io/pod-index", 101, true}, {"apps.kubernetes.io/pod-index", 100, false}, {"app", 101, false}} {
		text := fmt.Sprintf(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop}, spec: {replicas: %d, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: c}]}}}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: one, namespace: shop}, spec: {podSelector: {matchLabels: {%s: "7"}}}}
`, tt.wants, tt.label)
		told := false
		for _, b := range Parse("x.yaml", []byte(text), Options{}).Broken {
			told = told || b.Code == CodeCut && strings.Contains(b.Message, "has 101 pods") && b.Key.Name == "db"
		}
		if told != tt.told {
			t.Errorf("%+v: told %v", tt, told)
		}
	}
}
