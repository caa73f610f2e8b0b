package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Limits of waiting for servers; a busy machine needs a part of them.
const (
	startLimit = 90 * time.Second
	callLimit  = 60 * time.Second
)

// Config says how a cluster differs from the usual one.
type Config struct {
	// NoCRDs leaves the policies' and the egress firewalls' definitions out; see
	// InstallCRDs.
	NoCRDs bool
	// CompactEvery is how often the API server compacts etcd (0: as it does,
	// 5 minutes). What is older cannot be watched from any more.
	CompactEvery time.Duration
	// APIServer are more arguments of kube-apiserver.
	APIServer []string
}

// Cluster is a running API server with its etcd. Zones are added by AddZones, or by
// AddLab with OVN below them.
type Cluster struct {
	Server string // URL of the API server
	Client kubernetes.Interface
	Any    dynamic.Interface
	// Dir holds logs, kubeconfigs and sockets; it goes with the cluster.
	Dir string

	ca     *authority
	rest   *rest.Config
	etcd   *process
	api    *process
	kubecl string
	mu     sync.Mutex
	zones  []*Zones // under mu while tests run in parallel
	labs   []*Lab
}

// New starts a cluster that has the policies' CRDs, and users (see Kubeconfig),
// and nothing else. It is closed by Close.
func New(ctx context.Context, cfg Config) (*Cluster, error) {
	dir, err := memory()
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir}
	if err := c.start(ctx, cfg); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// memory is a new folder without a disk behind it where there is one; its name
// is short, since it holds sockets.
func memory() (string, error) {
	base := ""
	if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
		base = "/dev/shm"
	}
	dir, err := os.MkdirTemp(base, "rung-k-")
	if err != nil {
		return "", fmt.Errorf("making the cluster's folder: %w", err)
	}
	return dir, nil
}

func (c *Cluster) start(ctx context.Context, cfg Config) error {
	if err := c.programs(cfg); err != nil {
		return err
	}
	if err := c.etcd.start(); err != nil {
		return err
	}
	if err := c.StartAPI(ctx); err != nil {
		return err
	}
	if err := c.users(ctx); err != nil {
		return err
	}
	if cfg.NoCRDs {
		return nil
	}
	return c.InstallCRDs(ctx)
}

// programs prepares both servers and the clients.
func (c *Cluster) programs(cfg Config) error {
	etcd, err := tool("etcd")
	if err != nil {
		return err
	}
	api, err := tool("kube-apiserver")
	if err != nil {
		return err
	}
	if c.kubecl, err = tool("kubectl"); err != nil {
		return err
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	client, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	c.etcd = &process{path: etcd, log: c.path("etcd.log"), args: []string{
		"--data-dir", c.path("etcd"), "--unsafe-no-fsync", "--log-level", "warn",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer,
	}}
	if err := c.certificates(); err != nil {
		return err
	}
	args := []string{
		"--etcd-servers", client, "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--secure-port", ports[2],
		"--tls-cert-file", c.path("server.crt"), "--tls-private-key-file", c.path("server.key"), "--client-ca-file", c.path("ca.crt"),
		"--cert-dir", c.path("certs"), "--service-cluster-ip-range", "10.96.0.0/16", "--allow-privileged",
		"--authorization-mode", "RBAC", "--endpoint-reconciler-type", "none", "--disable-admission-plugins", "ServiceAccount",
		"--service-account-issuer", "https://rung.test", "--service-account-key-file", c.path("server.key"),
		"--service-account-signing-key-file", c.path("server.key"), "-v", "0",
	}
	if cfg.CompactEvery > 0 {
		args = append(args, "--etcd-compaction-interval", cfg.CompactEvery.String())
	}
	c.api = &process{path: api, log: c.path("kube-apiserver.log"), args: append(args, cfg.APIServer...)}
	c.Server = "https://127.0.0.1:" + ports[2]
	return c.clients()
}

// path is a file in the cluster's folder.
func (c *Cluster) path(name string) string { return filepath.Join(c.Dir, name) }

// certificates makes the authority and the server's certificate.
func (c *Cluster) certificates() error {
	var err error
	if c.ca, err = newAuthority(); err != nil {
		return err
	}
	cert, key, err := c.ca.server()
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.path("ca.crt"), c.ca.pem, 0o600); err != nil {
		return fmt.Errorf("writing the authority: %w", err)
	}
	return write(c.path("server.crt"), c.path("server.key"), cert, key)
}

// clients makes the test's own clients, which are administrators.
func (c *Cluster) clients() error {
	cert, key, err := c.ca.client(Admin, "system:masters")
	if err != nil {
		return err
	}
	c.rest = &rest.Config{Host: c.Server, QPS: 2000, Burst: 4000, Timeout: callLimit,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.ca.pem, CertData: cert, KeyData: key}}
	if c.Client, err = kubernetes.NewForConfig(c.rest); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	if c.Any, err = dynamic.NewForConfig(c.rest); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	return nil
}

// StartAPI starts the API server, on its port of before, and waits until it is
// ready.
func (c *Cluster) StartAPI(ctx context.Context) error {
	if err := c.api.start(); err != nil {
		return err
	}
	return c.api.await(startLimit, func() error { return c.Ready(ctx) })
}

// Ready asks the API server.
func (c *Cluster) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	code := 0
	err := c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&code).Error()
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("readyz: %d", code)
	}
	return err
}

// KillAPI kills the API server.
func (c *Cluster) KillAPI() error { return c.api.kill() }

// StopAPI stalls the API server (SIGSTOP); ContAPI lets it go on.
func (c *Cluster) StopAPI() error { return c.api.signal(stopSignal) }

// ContAPI ends StopAPI.
func (c *Cluster) ContAPI() error { return c.api.signal(contSignal) }

// StopEtcd stalls etcd (SIGSTOP); ContEtcd lets it go on.
func (c *Cluster) StopEtcd() error { return c.etcd.signal(stopSignal) }

// ContEtcd ends StopEtcd.
func (c *Cluster) ContEtcd() error { return c.etcd.signal(contSignal) }

// RestartEtcd kills etcd and starts it on its data.
func (c *Cluster) RestartEtcd() error { return errors.Join(c.etcd.kill(), c.etcd.start()) }

// Log is the end of the API server's log, for messages.
func (c *Cluster) Log() string { return c.api.tail() }

// Close ends everything and removes the folder.
func (c *Cluster) Close() error {
	var errs []error
	for _, z := range c.zones {
		z.Close()
	}
	for _, l := range c.labs {
		l.Close()
	}
	for _, p := range []*process{c.api, c.etcd} {
		if p != nil {
			errs = append(errs, p.kill())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(c.Dir))...)
}

// freePorts finds TCP ports that nobody listens on.
func freePorts(n int) ([]string, error) {
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("finding a free port: %w", err)
		}
		defer l.Close() // all at once, so that they differ
		out = append(out, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return out, nil
}
