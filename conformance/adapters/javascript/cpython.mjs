// CPython, compiled to WebAssembly by Pyodide: node cpython.mjs [FOLDER SCRIPT]
// Runs a script of a folder. Without one, it prints the version of Python.

import { loadPyodide } from "pyodide";

const [folder, script] = process.argv.slice(2);
const python = await loadPyodide();
if (folder === undefined) {
  console.log(python.runPython("import platform; platform.python_version()"));
} else {
  python.mountNodeFS("/adapters", folder);
  python.globals.set("script", `/adapters/${script}`);
  python.runPython(
    "import runpy, sys; sys.dont_write_bytecode = True; sys.path.insert(0, '/adapters'); runpy.run_path(script)",
  );
}
