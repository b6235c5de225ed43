# Caesura as a service. The compiler is in the first stage only.
#
#     docker build -t caesura .
#     docker run --rm -p 8765:8765 caesura
#
# docs/howto/serve-others.md says more.

FROM python:3.12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++
COPY . /source/
RUN python3 -m venv /opt/caesura
RUN /opt/caesura/bin/pip install --no-cache-dir "/source[serve]"

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin caesura
COPY --from=build --chown=10001:10001 /opt/caesura /opt/caesura
USER 10001
ENV CAESURA_HOME=/opt/caesura/home
ENV PATH=/opt/caesura/bin:/usr/local/bin:/usr/bin:/bin
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=3s --start-period=2m CMD ["python3", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/ready', timeout=2)"]
ENTRYPOINT ["caesura", "serve", "--host", "0.0.0.0", "--port", "8765"]
CMD ["-m", "en"]
