// The search asks for a worker, which a browser starts for no page from the disk: there a hidden frame takes its place.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      frame.contentDocument.open(); // so that the browser does not replace the empty document later
      frame.contentDocument.write("<!doctype html><title>search</title>");
      frame.contentDocument.close();
      this.frame = frame;
      frame.contentWindow.postMessage = data => this.send(this, data);
      frame.contentWindow.importScripts = async (...addresses) => {
        for (const each of addresses) await this.load(new URL(each, address).href);
      };
      this.loaded = this.load(address);
    }
    load(address) {
      const script = this.frame.contentDocument.createElement("script");
      const loaded = new Promise(done => { script.onload = done; });
      script.src = address;
      this.frame.contentDocument.head.append(script);
      return loaded;
    }
    send(target, data) { // later, as messages between threads arrive
      setTimeout(() => target.dispatchEvent(new MessageEvent("message", { data })));
    }
    postMessage(data) { this.loaded.then(() => this.send(this.frame.contentWindow, data)); }
    terminate() { this.frame.remove(); }
  };
}
