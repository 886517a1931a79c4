// The search asks for a worker, which a browser starts for no page from the disk: there a hidden frame takes its place.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inside.importScripts = async (...addresses) => {
        for (const each of addresses) await this.load(new URL(each, address).href);
      };
      this.loaded = this.load(address);
    }
    load(address) {
      const script = this.inside.document.createElement("script");
      const loaded = new Promise(done => { script.onload = done; });
      script.src = address;
      this.inside.document.head.append(script);
      return loaded;
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() { this.inside.frameElement.remove(); }
  };
}
