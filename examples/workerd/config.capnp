using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "provider", worker = .provider)],
  sockets = [(name = "http", address = "127.0.0.1:4100", http = (), service = "provider")],
);

const provider :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  bindings = [(name = "ISSUER", text = "http://127.0.0.1:4100")],
  compatibilityDate = "2026-11-01",
);
