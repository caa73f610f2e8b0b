package kube_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"rung/model"
	"rung/sources/kube"
	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/wait"
)

// TestObserveManifests: the API server takes the manifests of deploy/observe. The pods of the Deployment are admitted in a
// namespace that enforces the level "restricted"; those of the DaemonSet fail it only by the volume and the user that its
// README names. And an agent may write the report of its own node only.
func TestObserveManifests(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	root, err := install.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, "deploy", "observe", "all.yaml"))
	must(t, err)
	wait.Within(t, patience, "the manifests are applied", func() bool { // the resource of reports comes with them
		_, err = c.Kubectl(ctx, cluster.Admin, string(text), "apply", "-f", "-")
		return err == nil
	})
	restricted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "restricted", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	_, err = c.Client.CoreV1().Namespaces().Create(ctx, restricted, metav1.CreateOptions{})
	must(t, err)
	admitted := func(file string, spec func(text []byte) corev1.PodSpec) error {
		text, err := os.ReadFile(filepath.Join(root, "deploy", "observe", file))
		must(t, err)
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-"}, Spec: spec(text)}
		_, err = c.Client.CoreV1().Pods("restricted").Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	if err := admitted("deployment.yaml", func(text []byte) corev1.PodSpec {
		var d appsv1.Deployment
		must(t, yaml.UnmarshalStrict(text, &d))
		return d.Spec.Template.Spec
	}); err != nil {
		t.Errorf("the Deployment's pods: %v", err)
	}
	err = admitted("daemonset.yaml", func(text []byte) corev1.PodSpec {
		var d appsv1.DaemonSet
		must(t, yaml.UnmarshalStrict(text, &d))
		return d.Spec.Template.Spec
	})
	if err == nil || !strings.Contains(err.Error(), "hostPath") || strings.Count(err.Error(), "(") > 4 {
		t.Errorf("the DaemonSet's pods: %v", err)
	}

	// As an agent on n1.
	agent, err := kube.Open(kube.Options{Kubeconfig: agentLogin(t, c.Kubeconfig(cluster.Admin), "n1")})
	must(t, err)
	report := &model.ZoneReport{Format: model.ReportFormat, Agent: "a", LeaseNamespace: "rung", Lease: "l", JudgedAt: time.Now(),
		Connection: model.ReportConnection{State: model.ConnSynced}}
	for range 2 { // created, then patched
		must(t, agent.WriteZoneReport(ctx, "n1", report))
	}
	wait.Within(t, patience, "the report of another node is refused", func() bool {
		err := agent.WriteZoneReport(ctx, "n2", report)
		return err != nil && strings.Contains(err.Error(), "may write only the report and the Lease of that node")
	})
}

// agentLogin writes a kubeconfig that impersonates the agent of a node, as a token bound to its pod would be.
func agentLogin(t *testing.T, admin, node string) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(admin)
	must(t, err)
	for _, user := range config.AuthInfos {
		user.Impersonate = "system:serviceaccount:rung:rung-observe"
		user.ImpersonateGroups = []string{"system:serviceaccounts", "system:serviceaccounts:rung", "system:authenticated"}
		user.ImpersonateUserExtra = map[string][]string{"authentication.kubernetes.io/node-name": {node}}
	}
	file := filepath.Join(t.TempDir(), "agent")
	must(t, clientcmd.WriteToFile(*config, file))
	return file
}
