// Tells Emscripten's linker which functions the module calls. src/memory.js has them.
mergeInto(LibraryManager.library, { accepts_layer: () => 0 });
