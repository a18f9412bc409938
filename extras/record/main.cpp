// broadside-record: operations on recordings, one command each.
#include "extras/record/commands.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    using namespace broadside::record;
    int exit_code = 0;
    CLI::App app("Recordings of boxes (.boxrec): convert, check, describe, cut, anonymise, replay, compare.",
                 "broadside-record");
    app.require_subcommand(1);
    app.footer("Exit code: 0 success, 1 faults or differences found, 2 failure.");
    add_convert_command(app);
    add_check_command(app, exit_code);
    add_stats_command(app);
    add_cut_command(app);
    add_anonymise_command(app);
    add_replay_command(app);
    add_compare_command(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "broadside-record: %s\n", error.what());
        return 2;
    }
    return exit_code;
}
